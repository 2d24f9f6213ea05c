package dev.perigee.it;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The system calls of a running process as the tracer {@code strace} wrote them, in the order of their lines. A call that another thread's call
 * interrupts is two lines, {@code unfinished} and {@code resumed}; it begins with the first and ends with the second.
 */
final class SystemCalls {
    private static final String TRACED = "trace=write,writev,pwrite64,pwritev,sendmsg,sendto,fdatasync,fsync";
    private static final Pattern LINE = Pattern.compile("^(\\d+) +(.*)$");
    private static final Pattern CALL = Pattern.compile("^(\\w+)\\((\\d+)(.*)$");
    private static final Pattern RESUMED = Pattern.compile("^<\\.\\.\\. (\\w+) resumed>(.*)$");

    /** One call: begin and end are line numbers; text is what it was given. */
    record Call(String name, int descriptor, String text, int begin, int end) {}

    private final List<Call> calls = new ArrayList<>();

    /** Traces a process while {@code work} runs. */
    static SystemCalls during(long pid, Path output, Work work) throws Exception {
        try (Tracer tracer = Tracer.attach(pid, output, "-s", "65536", "-e", TRACED)) {
            work.run();
            return tracer.detach();
        }
    }

    /** What a tracer wrote down. */
    static SystemCalls read(Path output) throws IOException {
        return new SystemCalls(Files.readAllLines(output, StandardCharsets.ISO_8859_1));
    }

    /** What runs while the process is traced. */
    interface Work {
        void run() throws Exception;
    }

    private SystemCalls(List<String> lines) {
        Map<String, Call> unfinished = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher line = LINE.matcher(lines.get(i));
            if (line.matches()) {
                take(line.group(1), line.group(2), i, unfinished);
            }
        }
    }

    private void take(String thread, String text, int number, Map<String, Call> unfinished) {
        Matcher resumed = RESUMED.matcher(text);
        Matcher call = CALL.matcher(text);
        if (resumed.matches()) {
            Call begun = unfinished.remove(thread);
            if (begun != null) {
                calls.add(new Call(
                        begun.name(), begun.descriptor(), begun.text() + resumed.group(2), begun.begin(), number));
            }
        } else if (call.matches()) {
            Call begun = new Call(call.group(1), Integer.parseInt(call.group(2)), call.group(3), number, number);
            if (text.endsWith("<unfinished ...>")) {
                unfinished.put(thread, begun);
            } else {
                calls.add(begun);
            }
        }
    }

    /** All calls, in the order of their ends. */
    List<Call> all() {
        return List.copyOf(calls);
    }

    /** The call that began first among those that match. */
    Call first(String what, Predicate<Call> wanted) {
        return calls.stream()
                .filter(wanted)
                .min((a, b) -> Integer.compare(a.begin(), b.begin()))
                .orElseThrow(() -> new AssertionError("no system call: " + what));
    }
}
