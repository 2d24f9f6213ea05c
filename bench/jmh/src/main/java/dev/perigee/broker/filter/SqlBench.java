package dev.perigee.broker.filter;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * An SQL92 expression: matching a message of it, compiling it, and compiling the largest that is allowed, which an event loop has to
 * bear. In this package because its parts are not public.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class SqlBench { // not final: JMH extends it
    private static final String USUAL = "price BETWEEN 3 AND 5 AND (colour = 'red' OR colour IN ('green', 'blue'))";
    private static final String LARGEST = "a=1" + " OR a=1".repeat(SqlCompiler.MAX_TOKENS / 4 - 1);

    private final Map<String, String> properties = Map.of("price", "4", "colour", "blue");
    private final MessageFilter filter = ((FilterResult.Usable) SqlCompiler.compile(USUAL)).filter();

    @Benchmark
    public boolean match() {
        return filter.takes(properties::get);
    }

    @Benchmark
    public FilterResult compile() {
        return SqlCompiler.compile(USUAL);
    }

    @Benchmark
    public FilterResult compileLargest() {
        return SqlCompiler.compile(LARGEST);
    }
}
