package dev.perigee.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Broker, name server and Perigee's own clients on one thread, while connections break and the broker goes down. */
final class ClusterOnOneThreadTest {
    private static final long SEEDS = 12;

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyAcknowledgedMessageIsConsumed(long seed, @TempDir Path folder) throws Exception {
        ClusterSimulation run = new ClusterSimulation(seed, folder).run();

        assertThat(run.trace()).as("seed %d: something broke", seed).anyMatch(line -> line.endsWith("break true"));
        assertThat(run.isEverySendAnswered())
                .as("seed %d: every send ended", seed)
                .isTrue();
        assertThat(run.acknowledged()).as("seed %d: acknowledged", seed).hasSizeGreaterThan(100);
        assertThat(run.pushed()).as("seed %d: pushed", seed).containsAll(run.acknowledged());
        assertThat(run.polled()).as("seed %d: polled", seed).containsAll(run.acknowledged());
    }

    @Test
    void theSameSeedTakesTheSameCourse(@TempDir Path one, @TempDir Path two, @TempDir Path three) throws Exception {
        ClusterSimulation first = new ClusterSimulation(11, one).run();
        ClusterSimulation second = new ClusterSimulation(11, two).run();
        ClusterSimulation other = new ClusterSimulation(12, three).run();

        assertThat(first.trace())
                .anyMatch(line -> line.endsWith("crash"))
                .anyMatch(line -> line.endsWith("restart"))
                .isEqualTo(second.trace())
                .isNotEqualTo(other.trace());
    }
}
