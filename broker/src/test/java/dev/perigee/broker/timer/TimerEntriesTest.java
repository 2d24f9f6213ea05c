package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.view.LogPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TimerEntriesTest {
    private static final long STRETCH_BYTES = 1L << 32;

    private final MemoryViewStores stores = new MemoryViewStores();
    private final TimerEntries entries = new TimerEntries(stores);

    private void write() {
        entries.reached(new LogPosition(7, 1, 5 * STRETCH_BYTES));
        entries.passEnded();
    }

    private List<Long> recalledAt() {
        List<Long> facts = new ArrayList<>();
        entries.scan(TimerKeys.recalled(0, 0, 0), TimerKeys.recalledEnd(), (key, value) -> {
            facts.add(TimerKeys.longAt(key, TimerKeys.FACT_AT));
            return true;
        });
        return facts;
    }

    @Test
    void whatWasRecalledLongAgoGoesByWholeStretchesOfTheLog() throws IOException {
        for (long hash : new long[] {-1, 1, Long.MAX_VALUE}) {
            entries.recalled(hash, 77);
            entries.recalled(hash, STRETCH_BYTES - 1);
            entries.recalled(hash, STRETCH_BYTES);
            entries.recalled(hash, 2 * STRETCH_BYTES + 5);
        }
        write();
        assertThat(recalledAt()).hasSize(12);
        entries.forgetRecalled(1_000);
        write();
        assertThat(recalledAt()).as("a part of one stays, and is passed over").hasSize(12);
        assertThat(entries.forgottenBelow()).isEqualTo(1_000);
        entries.forgetRecalled(STRETCH_BYTES + 1);
        write();
        assertThat(recalledAt()).hasSize(6).contains(STRETCH_BYTES).doesNotContain(77L, STRETCH_BYTES - 1);
        entries.forgetRecalled(2 * STRETCH_BYTES);
        entries.forgetRecalled(5);
        write();
        assertThat(recalledAt()).containsOnly(2 * STRETCH_BYTES + 5).hasSize(3);
        ViewStore store = Objects.requireNonNull(entries.store());
        store.flush();
        entries.close();
        TimerEntries restored = new TimerEntries(stores);
        restored.restore();
        assertThat(restored.forgottenBelow()).isEqualTo(2 * STRETCH_BYTES);
    }
}
