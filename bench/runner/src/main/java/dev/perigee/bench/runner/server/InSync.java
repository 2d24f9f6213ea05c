package dev.perigee.bench.runner.server;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.RemotingProbe;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits until a master acknowledges, which a synchronous one does only with its slave. */
final class InSync {
    private static final Duration READY = Duration.ofSeconds(60);
    private static final int SEND_MESSAGE = 10;
    private static final int LOOK_MS = 100;

    private InSync() {}

    /**
     * Blocks until a message is answered with code 0.
     *
     * @throws IllegalStateException when the master ends first, or none was after 60 s; with what the processes wrote
     */
    static void await(String master, JavaProcess broker, JavaProcess slave) {
        long deadlineNs = System.nanoTime() + READY.toNanos();
        while (!acknowledges(master)) {
            if (!broker.isAlive() || !slave.isAlive() || System.nanoTime() > deadlineNs) {
                throw new IllegalStateException(master + " acknowledges nothing\n" + broker.stdout() + broker.stderr()
                        + slave.stdout() + slave.stderr());
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
