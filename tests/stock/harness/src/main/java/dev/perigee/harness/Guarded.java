package dev.perigee.harness;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * Runs another main class and dies when stdin ends, that is, when the process that started it is gone, however it went. Needs nothing but
 * the JDK, because it is put at the end of foreign class paths.
 */
public final class Guarded {
    private static final int KILLED = 137;

    private Guarded() {}

    /** First argument: the main class; the rest goes to it. */
    public static void main(String[] args) throws Throwable {
        Thread watch = new Thread(Guarded::dieWithParent, "parent-watch");
        watch.setDaemon(true);
        watch.start();
        try {
            Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object)
                    Arrays.copyOfRange(args, 1, args.length));
        } catch (InvocationTargetException failure) {
            throw failure.getTargetException();
        }
    }

    private static void dieWithParent() {
        try {
            while (System.in.read() >= 0) {
                // Nothing is ever sent; only the end counts.
            }
        } catch (IOException gone) {
            System.err.println("stdin failed: " + gone);
        }
        Runtime.getRuntime().halt(KILLED);
    }
}
