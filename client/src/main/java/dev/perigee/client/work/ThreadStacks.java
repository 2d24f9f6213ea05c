package dev.perigee.client.work;

/** The stacks of all threads of this process, as administrators want to see them (code 307). */
public final class ThreadStacks {
    private ThreadStacks() {}

    /** Name, state and stack of every thread, one frame a line. Stops every thread for a moment. */
    public static String text() {
        StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            text.append(thread.getName())
                    .append(" state=")
                    .append(thread.getState())
                    .append('\n');
            for (StackTraceElement frame : stack) {
                text.append("  ").append(frame).append('\n');
            }
        });
        return text.toString();
    }
}
