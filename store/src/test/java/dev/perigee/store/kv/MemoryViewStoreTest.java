package dev.perigee.store.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class MemoryViewStoreTest extends ViewStoreContract {
    private final MemoryViewStores stores = new MemoryViewStores();

    @Override
    ViewStores stores() {
        return stores;
    }

    @Test
    void aCrashKeepsWhatWasFlushedAndSomeOfTheFirstBatchesSince() throws Exception {
        Set<Long> reached = new HashSet<>();
        for (int seed = 0; seed < 50; seed++) {
            MemoryViewStores crashing = new MemoryViewStores();
            ViewStore lost = crashing.open(VIEW);
            lost.write(new ViewBatch().put(bytes("a"), bytes("1")), at(1));
            lost.flush();
            lost.write(new ViewBatch().put(bytes("b"), bytes("1")), at(2));
            lost.write(new ViewBatch().put(bytes("c"), bytes("1")), at(3));
            crashing.crash(new Random(seed));
            try (ViewStore store = crashing.open(VIEW)) {
                long offset = store.position().orElseThrow().offset();
                reached.add(offset);
                assertThat(keys(store, "a", "z")).hasSize((int) offset);
                assertThatThrownBy(() -> lost.write(new ViewBatch(), at(4)))
                        .as("of the process that is no more")
                        .isInstanceOf(IOException.class);
            }
        }
        assertThat(reached).containsExactlyInAnyOrder(1L, 2L, 3L);
    }
}
