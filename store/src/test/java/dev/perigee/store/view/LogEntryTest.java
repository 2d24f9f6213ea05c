package dev.perigee.store.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.protocol.topic.SystemTopic;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class LogEntryTest {
    private final LogEntry entry = new LogEntry();

    @Test
    void frameIsReadFromAnyPlaceOfABuffer() {
        ByteBuffer frame = TestFrame.of("orders", 3, 77)
                .uniqueKey("U1")
                .keys("a b")
                .tag("t")
                .property("x", "y")
                .body(new byte[50])
                .epoch(0x1234)
                .encode(4096, 1_000);
        ByteBuffer buffer = ByteBuffer.allocateDirect(frame.remaining() + 30);
        buffer.position(17).put(frame.duplicate());
        entry.wrap(buffer, 17, 4096);
        assertThat(entry.offset()).isEqualTo(4096);
        assertThat(entry.endOffset()).isEqualTo(4096 + frame.remaining());
        assertThat(entry.topic()).isEqualTo("orders");
        assertThat(entry.queueId()).isEqualTo(3);
        assertThat(entry.queueOffset()).isEqualTo(77);
        assertThat(entry.storeTimestampMs()).isEqualTo(1_000);
        assertThat(entry.tagHash()).isEqualTo("t".hashCode());
        assertThat(entry.property("x")).isEqualTo("y");
        assertThat(entry.property("z")).isNull();
        assertThat(entry.epoch()).isEqualTo(0x1234);
        assertThat(entry.isFact()).isFalse();
        assertThat(entry.fact()).isNull();
    }

    @Test
    void nothingOfTheFormerFrameIsLeft() {
        entry.wrap(
                TestFrame.of("orders", 0, 0).uniqueKey("U1").keys("a").tag("t").encode(0, 1), 0, 0);
        entry.wrap(TestFrame.of("others", 0, 0).encode(0, 1), 0, 0);
        assertThat(entry.tagHash()).isZero();
        assertThat(entry.properties().keysFrom()).isEqualTo(entry.properties().keysTo());
        assertThat(entry.properties().uniqueKeyFrom())
                .isEqualTo(entry.properties().uniqueKeyTo());
    }

    @Test
    void topicsOfAnyLengthAndNumberAreTold() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 3000; i++) {
                String topic = "t" + i + "x".repeat(i % 250);
                entry.wrap(TestFrame.of(topic, 0, 0).encode(0, 1), 0, 0);
                assertThat(entry.topic()).isEqualTo(topic);
                String first = entry.topic();
                entry.wrap(TestFrame.of(topic, 0, 1).encode(0, 1), 0, 0);
                assertThat(entry.topic()).isSameAs(first);
            }
        }
    }

    @Test
    void factIsDecodedOnce() {
        LogTrimmed fact = new LogTrimmed(4096);
        entry.wrap(
                TestFrame.of(SystemTopic.FACTS, FactCodec.QUEUE_ID, 0)
                        .property("FACT", fact.kind())
                        .property("MU", "1")
                        .body(FactCodec.body(fact))
                        .encode(0, 1),
                0,
                0);
        assertThat(entry.isFact()).isTrue();
        assertThat(entry.fact()).isEqualTo(fact).isSameAs(entry.fact());
    }
}
