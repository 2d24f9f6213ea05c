package dev.perigee.protocol.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.TestVectors;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BatchBodyTest {
    @Test
    void refusesAnEmptyBatch() {
        assertThatThrownBy(() -> BatchBody.of(ByteBuffer.allocate(0))).hasMessage("the batch has no message");
    }

    @Test
    void refusesABatchCutAtAnyByteThatIsNotAnEntryEnd() throws Exception {
        ByteBuffer whole = ByteBuffer.wrap(TestVectors.bytes("04-batch-body"));
        int entryBytes = whole.getInt(0);
        for (int kept = 1; kept < whole.capacity(); kept++) {
            ByteBuffer cut = whole.duplicate().limit(kept);
            if (kept % entryBytes == 0) {
                assertThat(BatchBody.of(cut).count()).isEqualTo(kept / entryBytes);
            } else {
                assertThatThrownBy(() -> BatchBody.of(cut))
                        .isInstanceOf(MalformedMessageException.class)
                        .hasMessageContaining("batch entry");
            }
        }
    }

    @Test
    void answersDamageOnlyWithTheDeclaredException() {
        byte[] bytes = TestVectors.bytes("04-batch-body");
        for (int seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            ByteBuffer damaged = ByteBuffer.wrap(bytes.clone());
            damaged.put(random.nextInt(bytes.length), (byte) random.nextInt());
            damaged.put(random.nextInt(bytes.length), (byte) random.nextInt());
            try {
                BatchBody batch = BatchBody.of(damaged);
                int entries = 0;
                while (batch.next()) {
                    assertThat(batch.body().remaining() + batch.properties().sizeBytes())
                            .isLessThan(bytes.length);
                    entries++;
                }
                assertThat(entries).isEqualTo(batch.count());
            } catch (MalformedMessageException e) {
                assertThat(e).hasMessageContaining("batch");
            }
        }
    }
}
