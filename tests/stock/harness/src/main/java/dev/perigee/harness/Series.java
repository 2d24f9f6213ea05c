package dev.perigee.harness;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs another main class several times, one after the other, and writes {@link #END} to stdout and stderr behind each. Needs nothing but
 * the JDK, because it is put at the end of foreign class paths. A run that throws ends the series.
 */
public final class Series {
    /** A line that ends what one run printed. */
    static final String END = "\f";
    /** An argument that ends those of one run. */
    static final String NEXT = "\n";

    private Series() {}

    /** First argument: the main class; the rest are the arguments of the runs, each of which ends with {@link #NEXT}. */
    public static void main(String[] args) throws Exception {
        Method main = Class.forName(args[0]).getMethod("main", String[].class);
        List<String> arguments = new ArrayList<>();
        for (int i = 1; i < args.length; i++) {
            if (!args[i].equals(NEXT)) {
                arguments.add(args[i]);
                continue;
            }
            main.invoke(null, (Object) arguments.toArray(new String[0]));
            System.out.println(END);
            System.err.println(END);
            arguments.clear();
        }
    }
}
