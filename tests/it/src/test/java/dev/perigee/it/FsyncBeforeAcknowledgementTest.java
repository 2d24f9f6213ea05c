package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.SendResult;
import dev.perigee.compat.PerigeeProcess;
import dev.perigee.protocol.message.Message;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Seen from the kernel: under SYNC_FLUSH the write, then its fdatasync, then the acknowledgement. */
@Tag("full")
final class FsyncBeforeAcknowledgementTest {
    private static final int MESSAGES = 30;

    @TempDir
    private Path folder;

    @Test
    void noAcknowledgementLeavesBeforeTheFdatasyncOfItsMessageReturned() throws Exception {
        assumeTrue(Tracer.isInstalled(), "strace is not installed");
        Map<String, SendResult> sent = new LinkedHashMap<>();
        SystemCalls calls;
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"), names.target().namesrv(), Map.of("flushDiskType", "SYNC_FLUSH"));
                Producer producer = Producer.builder()
                        .nameServers(names.target().namesrv())
                        .group("traced_sender")
                        .sendTimeoutMs(20_000)
                        .build()) {
            producer.start();
            producer.send(Message.of("traced", "creates the topic"));
            calls = SystemCalls.during(broker.process().pid(), folder.resolve("calls.txt"), () -> {
                for (int i = 0; i < MESSAGES; i++) {
                    String marker = "marker-" + i + "-end";
                    sent.put(marker, producer.send(Message.of("traced", marker)));
                }
                // The tracer may be gone before it has written down the very last reply, so that one is not looked for.
                producer.send(Message.of("traced", "last"));
            });
        }
        assertThat(sent).hasSize(MESSAGES);
        sent.forEach((marker, result) -> checkOrder(calls, marker, result.offsetMessageId()));
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
