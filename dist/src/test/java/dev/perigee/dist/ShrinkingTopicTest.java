package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Topics with fewer queues than a producer's route says, on a broker. */
@ExtendWith(SharedUp.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShrinkingTopicTest {
    private final RunningUp up;

    ShrinkingTopicTest(RunningUp up) {
        this.up = up;
    }

    private Producer producer() {
        Producer producer = Producer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .group("senders")
                .sendTimeoutMs(60_000)
                .build();
        producer.start();
        return producer;
    }

    /** Sends in three ways; fails when one does. */
    private static void round(Producer producer, String topic) throws Exception {
        List<CompletableFuture<SendResult>> gathered = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            gathered.add(producer.sendAsync(Message.of(topic, "gathered")));
        }
        assertThat(producer.send(Message.of(topic, "alone")).status()).isEqualTo(SendStatus.SEND_OK);
        assertThat(producer.send(List.of(Message.of(topic, "one"), Message.of(topic, "two")))
                        .status())
                .isEqualTo(SendStatus.SEND_OK);
        for (CompletableFuture<SendResult> each : gathered) {
            assertThat(each.get().status()).isEqualTo(SendStatus.SEND_OK);
        }
    }

    @Test
    void aTopicThatShrinksUnderARunningProducerLosesNoSend() throws Exception {
        up.queues("shrinking", 8);
        AtomicBoolean isOver = new AtomicBoolean();
        try (Producer producer = producer()) {
            round(producer, "shrinking");
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    while (!isOver.get()) {
                        round(producer, "shrinking");
                    }
                    round(producer, "shrinking");
                } catch (Exception e) {
                    throw new AssertionError("a send failed", e);
                }
            });
            for (int queues : new int[] {3, 1}) {
                up.queues("shrinking", queues);
            }
            isOver.set(true);
            sending.get();
            assertThat(producer.metrics().failed()).isZero();
            assertThat(producer.send(Message.of("shrinking", "last")).queue().queueId())
                    .isZero();
        }
    }

    @Test
    void aTopicThatWasMadeThisInstantTakesSends() throws Exception {
        try (Producer producer = producer()) {
            for (int i = 0; i < 5; i++) {
                up.queues("made-" + i, 1);
                round(producer, "made-" + i);
            }
            assertThat(producer.metrics().failed()).isZero();
        }
    }
}
