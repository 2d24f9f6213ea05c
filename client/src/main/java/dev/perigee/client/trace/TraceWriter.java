package dev.perigee.client.trace;

import dev.perigee.client.error.Completion;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.trace.TraceRecord;
import dev.perigee.protocol.trace.TraceRecords;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes notes about messages and has them sent to the trace topic, several in one message (broker-client §13). Taking a note
 * never waits: of notes that come faster than they leave, those beyond the limit are dropped and counted, and the log says so.
 */
@ThreadSafe
public final class TraceWriter implements AutoCloseable {
    /** Notes that may wait to be sent. */
    static final int MAX_WAITING = 4_096;
    /** Notes of one message. */
    static final int MAX_BATCH = 20;
    /** How long a note waits for others. */
    static final long FLUSH_MS = 1_000;
    /** Characters of one message's body and of its keys, as far as a single note is not longer. */
    private static final int MAX_BODY_CHARS = 128_000;

    private static final int MAX_KEY_CHARS = 8_192;

    private static final Logger LOG = LoggerFactory.getLogger(TraceWriter.class);

    private final String topic;
    private final TraceOutlet outlet;

    /**
     * Guards all below. Notes come from many threads and are counted as one of two, taken or dropped; held for a few assignments
     * only, so that nobody waits for a message to be sent.
     */
    private final Object lock = new Object();

    private final Deque<TraceRecord> waiting = new ArrayDeque<>();
    private boolean isClosed;
    private boolean isFlushing;
    /** Batches taken out and not handed to the outlet yet. */
    private int leaving;

    private long noted;
    private long written;
    private long dropped;
    /** At how many the log is told next. */
    private long tellAt = 1;

    /** A writer that waits for its start. */
    public TraceWriter(String topic, TraceOutlet outlet) {
        this.topic = topic;
        this.outlet = outlet;
    }

    /** @throws IllegalArgumentException when notes cannot be sent to this topic, saying why */
    public static void checkTopic(String topic) {
        TraceTopics.check(topic);
    }

    /** The group of the producer that is to carry the notes of a group; {@code role} is PRODUCE or CONSUME. */
    public static String carrierOf(String group, String role) {
        return TraceTopics.carrierOf(group, role);
    }

    TraceTopics topics() {
        return new TraceTopics(topic);
    }

    /** Sends from now on. */
    public void start() {
        outlet.start();
        outlet.loop().every(FLUSH_MS, FLUSH_MS, this::flush);
    }

    /** Takes notes; those for which there is no room, and all after the close, are dropped and counted. */
    public void note(Collection<? extends TraceRecord> records) {
        boolean isDue;
        boolean isTold;
        long droppedNow;
        String reason;
        synchronized (lock) {
            int lost = 0;
            for (TraceRecord record : records) {
                if (isClosed || waiting.size() >= MAX_WAITING) {
                    lost++;
                } else {
                    waiting.add(record);
                    noted++;
                }
            }
            isTold = lose(lost);
            droppedNow = dropped;
            reason = isClosed ? "closed" : "too many wait limit=" + MAX_WAITING;
            isDue = !isClosed && !isFlushing && waiting.size() >= MAX_BATCH;
            isFlushing |= isDue;
        }
        if (isDue) {
            outlet.loop().execute(this::flush);
        }
        if (isTold) {
            tell(droppedNow, reason);
        }
    }

    /** Counts lost notes, under the lock; whether the log is to be told: of the first, and whenever there are twice as many. */
    private boolean lose(int notes) {
        dropped += notes;
        boolean isTold = dropped >= tellAt;
        if (isTold) {
            tellAt = 2 * dropped;
        }
        return isTold;
    }

    private void tell(long droppedSoFar, @Nullable String reason) {
        LOG.warn(
                "event=trace_not_written topic={} droppedSoFar={} reason=\"{}\" nextTold={}",
                topic,
                droppedSoFar,
                reason,
                2 * droppedSoFar);
    }

    /** Sends all that waits. */
    private void flush() {
        for (List<TraceRecord> batch = take(); !batch.isEmpty(); batch = take()) {
            try {
                send(batch);
            } finally {
                hasLeft();
            }
        }
    }

    private void hasLeft() {
        synchronized (lock) {
            leaving--;
            lock.notifyAll();
        }
    }

    /** Waits for the batches that another thread has taken; to hand one over takes no longer than to encode it. */
    private void awaitLeft() {
        synchronized (lock) {
            try {
                while (leaving > 0) {
                    lock.wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The next notes; none ends the flush. */
    private List<TraceRecord> take() {
        synchronized (lock) {
            List<TraceRecord> batch = new ArrayList<>();
            while (batch.size() < MAX_BATCH && !waiting.isEmpty()) {
                batch.add(waiting.remove());
            }
            isFlushing = !batch.isEmpty();
            leaving += batch.isEmpty() ? 0 : 1;
            return batch;
        }
    }

    private void send(List<TraceRecord> batch) {
        StringBuilder body = new StringBuilder();
        Set<String> keys = new LinkedHashSet<>();
        int keyChars = 0;
        int notes = 0;
        for (TraceRecord record : batch) {
            String text = TraceRecords.text(record);
            List<String> own = keysOf(record);
            int ownChars = own.stream().mapToInt(key -> key.length() + 1).sum();
            if (notes > 0 && (body.length() + text.length() > MAX_BODY_CHARS || keyChars + ownChars > MAX_KEY_CHARS)) {
                send(body.toString(), keys, notes);
                body.setLength(0);
                keys.clear();
                keyChars = 0;
                notes = 0;
            }
            body.append(text);
            keys.addAll(own);
            keyChars += ownChars;
            notes++;
        }
        send(body.toString(), keys, notes);
    }

    /** By what a note is found; by the message id alone when the keys have no room in a message. */
    private static List<String> keysOf(TraceRecord record) {
        List<String> keys = record.findableBy();
        int chars = keys.stream().mapToInt(key -> key.length() + 1).sum();
        return chars <= MAX_KEY_CHARS ? keys : List.of(record.messageId());
    }

    private void send(String body, Set<String> keys, int notes) {
        CompletableFuture<?> sent;
        try {
            sent = outlet.send(Message.builder(topic)
                    .body(body)
                    .keys(keys.toArray(String[]::new))
                    .build());
        } catch (RuntimeException e) {
            sent = CompletableFuture.failedFuture(e);
        }
        Completion.on(sent, (result, failure) -> {
            boolean isTold;
            long droppedNow;
            synchronized (lock) {
                written += failure == null ? notes : 0;
                isTold = lose(failure == null ? 0 : notes);
                droppedNow = dropped;
            }
            if (isTold && failure != null) {
                tell(droppedNow, failure.getMessage());
            }
        });
    }

    /** What was done so far. */
    public TraceMetrics metrics() {
        synchronized (lock) {
            return new TraceMetrics(noted, written, dropped, waiting.size());
        }
    }

    /** Takes no further notes and sends those that wait. Blocks as long as the outlet's close does. Idempotent. */
    @Override
    public void close() {
        synchronized (lock) {
            if (isClosed) {
                return;
            }
            isClosed = true;
        }
        flush();
        awaitLeft();
        outlet.close();
        TraceMetrics end = metrics();
        if (end.dropped() > 0) {
            LOG.warn(
                    "event=trace_incomplete topic={} noted={} written={} dropped={}",
                    topic,
                    end.noted(),
                    end.written(),
                    end.dropped());
        }
    }

    /** As {@link #close}, on a thread of its own: for callers that may not block. */
    public void closeElsewhere() {
        Thread closer = new Thread(this::close, "perigee-trace-close");
        closer.setDaemon(true);
        closer.start();
    }
}
