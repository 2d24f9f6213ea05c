package dev.perigee.store.queue;

import dev.perigee.loop.ThreadSafe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The queues of one topic by their id. Changed by the view loop only, read by any thread. */
@ThreadSafe
final class TopicQueues {
    private volatile @Nullable ConsumeQueue[] byId = new @Nullable ConsumeQueue[0];

    @Nullable
    ConsumeQueue find(int queueId) {
        @Nullable ConsumeQueue[] now = byId;
        return queueId >= 0 && queueId < now.length ? now[queueId] : null;
    }

    void add(ConsumeQueue queue) {
        @Nullable ConsumeQueue[] now = byId;
        @Nullable ConsumeQueue[] changed = Arrays.copyOf(now, Math.max(now.length, queue.queueId() + 1));
        changed[queue.queueId()] = queue;
        byId = changed;
    }

    List<ConsumeQueue> list() {
        List<ConsumeQueue> queues = new ArrayList<>();
        for (ConsumeQueue queue : byId) {
            if (queue != null) {
                queues.add(queue);
            }
        }
        return queues;
    }
}
