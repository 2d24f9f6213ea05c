package dev.perigee.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.store.append.AppendRequest;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.Appender;
import dev.perigee.store.queue.ConsumeQueue;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The whole store on one thread, with days passing in between: what retention leaves is complete. */
class StoreRetentionTest {
    private static final long HOUR_MS = 3_600_000;

    private final SteppedStore world = new SteppedStore(3);

    private void send(Store store, Appender appender, String topic, int count) {
        List<AppendResult> results = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FrameDraft draft = new FrameDraft()
                    .topic(topic.getBytes(StandardCharsets.UTF_8))
                    .queueId(0)
                    .body(ByteBuffer.wrap(new byte[900]))
                    .properties(PropertyText.ofUtf8(("KEYS\u0001key" + i + "\u0002").getBytes(StandardCharsets.UTF_8)));
            ByteBuffer space = Objects.requireNonNull(appender.reserve(draft.sizeBytes()), "no chunk space");
            draft.writeTo(space);
            appender.submit(new AppendRequest(topic, 0, 1, true, (request, result) -> results.add(result)));
            world.run(store, 40);
        }
        assertThat(results).hasSize(count).containsOnly(AppendResult.APPENDED);
    }

    @Test
    void whatIsLeftAfterExpiryIsCompleteAndIsRebuiltFromTheLogAlone() throws IOException {
        try (Store store = world.open()) {
            Appender appender = store.newAppender();
            send(store, appender, "idle", 3);
            send(store, appender, "orders", 200);
            world.run(store, 11_000);
            world.pass(80 * HOUR_MS);
            send(store, appender, "orders", 10);
            store.deleteExpired();
            world.run(store, 2_000);
            assertThat(store.log().startOffset()).isPositive();
            assertQueue(store, "idle", 3, 3);
            assertThat(Objects.requireNonNull(store.queues().find("orders", 0)).minOffset())
                    .isBetween(1L, 200L);
            assertThat(keys(store, "orders", "key0")).as("only the young one").hasSize(1);
        }
        String live;
        long startOffset;
        try (Store store = world.open()) {
            live = store.queues().fingerprint();
            startOffset = store.log().startOffset();
            assertQueue(store, "idle", 3, 3);
        }
        for (String folder : List.of("consumequeue", "index", "retention")) {
            delete(folder);
        }
        try (Store store = world.open()) {
            assertThat(store.log().startOffset()).isEqualTo(startOffset);
            assertThat(store.queues().fingerprint()).isEqualTo(live);
            assertThat(keys(store, "orders", "key0")).hasSize(1);
            assertThat(keys(store, "orders", "key199")).hasSize(1);
            send(store, store.newAppender(), "idle", 1);
            assertQueue(store, "idle", 3, 4);
        }
        assertThat(world.faults).isEmpty();
    }

    private static void assertQueue(Store store, String topic, long min, long max) {
        ConsumeQueue queue = Objects.requireNonNull(store.queues().find(topic, 0));
        assertThat(queue.minOffset()).as("min of %s", queue).isEqualTo(min);
        assertThat(queue.maxOffset()).as("max of %s", queue).isEqualTo(max);
    }

    private static List<Long> keys(Store store, String topic, String key) {
        return store.keyIndex().orElseThrow().query(topic, key, 64, 0, Long.MAX_VALUE);
    }

    private void delete(String folder) throws IOException {
        for (String child : world.disk.list(folder)) {
            delete(folder + "/" + child);
        }
        world.disk.delete(folder);
    }
}
