package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.ProducerConfig;
import dev.perigee.client.send.SendResult;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.message.Message;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Seen from the kernel: under SYNC_FLUSH the write, then its fdatasync, then the acknowledgement. */
@Tag("full")
final class FsyncBeforeAcknowledgementTest {
    private static final int ONE_BY_ONE = 30;
    private static final int IN_FLIGHT = 100;
    private static final int BATCHES = 10;
    private static final int ENTRIES = 5;
    private static final String TOPIC = "traced";

    @TempDir
    private Path folder;

    @Test
    void noAcknowledgementLeavesBeforeTheFdatasyncOfItsMessageReturned() throws Exception {
        Tracer.require();
        Map<String, SendResult> sent = new LinkedHashMap<>();
        SystemCalls calls = callsDuring(producer -> {
            for (int i = 0; i < ONE_BY_ONE; i++) {
                sent.put(marker(i), producer.send(Message.of(TOPIC, marker(i))));
            }
        });
        assertThat(sent).hasSize(ONE_BY_ONE);
        sent.forEach((marker, result) -> checkOrder(calls, marker, result.offsetMessageId()));
    }

    @Test
    void noneOfAHundredSendsInFlightIsAcknowledgedBeforeAnFdatasyncThatCoversIt() throws Exception {
        Tracer.require();
        Map<String, SendResult> sent = new LinkedHashMap<>();
        SystemCalls calls = callsDuring(producer -> {
            Map<String, CompletableFuture<SendResult>> answers = new LinkedHashMap<>();
            for (int i = 0; i < IN_FLIGHT; i++) {
                answers.put(marker(i), producer.sendAsync(Message.of(TOPIC, marker(i))));
            }
            answers.forEach((marker, answer) -> sent.put(marker, answer.join()));
        });
        assertThat(sent).hasSize(IN_FLIGHT);
        sent.forEach((marker, result) -> checkOrder(calls, marker, result.offsetMessageId()));
    }

    @Test
    void noEntryOfABatchIsAcknowledgedBeforeAnFdatasyncThatCoversIt() throws Exception {
        Tracer.require();
        List<SendResult> results = new ArrayList<>();
        SystemCalls calls = callsDuring(producer -> {
            for (int batch = 0; batch < BATCHES; batch++) {
                results.add(producer.send(IntStream.range(batch * ENTRIES, (batch + 1) * ENTRIES)
                        .mapToObj(i -> Message.of(TOPIC, marker(i)))
                        .toList()));
            }
        });
        for (int batch = 0; batch < BATCHES; batch++) {
            List<String> places = List.of(results.get(batch).offsetMessageId().split(","));
            assertThat(places).as("places of batch %s", batch).hasSize(ENTRIES);
            for (int entry = 0; entry < ENTRIES; entry++) {
                checkOrder(calls, marker(batch * ENTRIES + entry), places.get(entry));
            }
        }
    }

    /** What a test sends while the broker is traced. */
    private interface Sends {
        void with(Producer producer) throws Exception;
    }

    private SystemCalls callsDuring(Sends sends) throws Exception {
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"), names.target().namesrv(), Map.of("flushDiskType", "SYNC_FLUSH"));
                Producer producer = Producer.builder()
                        .nameServers(names.target().namesrv())
                        .group("traced_sender")
                        .sendTimeoutMs(20_000)
                        .maxTries(1) // a second try would write the marker twice
                        .batching(ProducerConfig.Batching.OFF)
                        .build()) {
            producer.start();
            producer.send(Message.of(TOPIC, "creates the topic"));
            return SystemCalls.during(broker.process().pid(), folder.resolve("calls.txt"), () -> {
                sends.with(producer);
                // The tracer may be gone before it has written down the very last reply, so that one is not looked for.
                producer.send(Message.of(TOPIC, "last"));
            });
        }
    }

    private static String marker(int number) {
        return "marker-" + number + "-end";
    }

    private static void checkOrder(SystemCalls calls, String marker, String offsetMessageId) {
        SystemCalls.Call write = calls.first(
                "write of " + marker, call -> isWrite(call) && call.text().contains(marker));
        SystemCalls.Call sync = calls.first(
                "fdatasync after the write of " + marker,
                call -> call.name().equals("fdatasync")
                        && call.descriptor() == write.descriptor()
                        && call.begin() > write.end());
        SystemCalls.Call reply = calls.first(
                "reply with " + offsetMessageId,
                call -> isWrite(call)
                        && call.descriptor() != write.descriptor()
                        && call.text().contains(offsetMessageId));
        assertThat(sync.text()).as("fdatasync of %s", marker).endsWith("= 0");
        assertThat(reply.begin())
                .as("the reply to %s leaves after its fdatasync returned", marker)
                .isGreaterThan(sync.end());
    }

    private static boolean isWrite(SystemCalls.Call call) {
        return !call.name().endsWith("sync");
    }
}
