package dev.perigee.bench.runner.server;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.RemotingProbe;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Waits until a master acknowledges, which a synchronous one does only with its slave, and that of a group with a majority. */
final class InSync {
    private static final Duration READY = Duration.ofMinutes(2);
    private static final int SEND_MESSAGE = 10;
    private static final int LOOK_MS = 100;

    private InSync() {}

    /**
     * Blocks until a message is answered with code 0.
     *
     * @throws IllegalStateException when a broker ends first, or none was after two minutes; with what the processes wrote
     */
    static void await(String master, JavaProcess broker, JavaProcess slave) {
        await(() -> Optional.of(master), List.of(broker, slave));
    }

    /** The same of whoever is the master by then. */
    static void await(Supplier<Optional<String>> master, List<JavaProcess> brokers) {
        long deadlineNs = System.nanoTime() + READY.toNanos();
        while (!master.get().filter(InSync::acknowledges).isPresent()) {
            if (!brokers.stream().allMatch(JavaProcess::isAlive) || System.nanoTime() > deadlineNs) {
                throw new IllegalStateException("nothing is acknowledged by " + brokers + "\n"
                        + brokers.stream()
                                .map(each -> each.stdout() + each.stderr())
                                .collect(Collectors.joining()));
            }
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for a pair", e);
            }
        }
    }

    private static boolean acknowledges(String master) {
        JSONObject header = JSONObject.of("producerGroup", "bench-probe", "topic", "BenchProbe");
        header.put("defaultTopic", "TBW102");
        header.put("defaultTopicQueueNums", "1");
        header.put("queueId", "0");
        header.put("sysFlag", "0");
        header.put("bornTimestamp", Long.toString(System.currentTimeMillis()));
        header.put("flag", "0");
        header.put("reconsumeTimes", "0");
        try {
            return RemotingProbe.ask(master, SEND_MESSAGE, header, "in sync?").code() == 0;
        } catch (IOException notYet) {
            return false;
        }
    }
}
