package dev.perigee.replica.repair;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.replica.RangeAnswer;
import dev.perigee.protocol.header.replica.RangeHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.replica.ReasonLog;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.log.CommitLog;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mends a log that is open (R28): where whoever reads it finds damage below what is confirmed, the range is fetched from a node that follows
 * or is followed, over the connection that is there anyway, verified, and written in place by the preparer. One place at a time, each in
 * its turn; what nobody has is asked for again {@link #RETRY_MS} after the last one. Nothing of it is served or streamed meanwhile: readers
 * verify.
 */
@ThreadSafe
public final class OpenLogRepair implements LongConsumer {
    /** More places are not remembered; what is met again is told again. */
    static final int MAX_PLACES = 1_024;

    static final long RETRY_MS = 10_000;
    private static final long CALL_TIMEOUT_MS = 5_000;
    private static final Logger LOG = LoggerFactory.getLogger(OpenLogRepair.class);

    /** Writes units over what is damaged; see {@code Store.mend}. */
    @FunctionalInterface
    public interface Writing {
        /**
         * Has them written.
         *
         * @return false when nothing will be done
         */
        boolean mend(long offset, ByteBuffer units, int epoch, long limitOffset, LongConsumer done);
    }

    private final CommitLog log;
    private final Writing writing;
    private final Supplier<Collection<Connection>> peers;
    private final LoopExecutor loop;
    private final Clock clock;
    private final ConcurrentSkipListSet<Long> places = new ConcurrentSkipListSet<>();
    private final ReasonLog reasons;
    private final AtomicBoolean busy = new AtomicBoolean();
    /** The place that was last asked for in vain: the next one is behind it. On the loop. */
    private volatile long triedOffset = -1;

    /**
     * Of an open log.
     *
     * @param peers connections to nodes that may hold the same bytes; they answer REPLICA_RANGE
     * @param loop where it is decided whom to ask next
     */
    public OpenLogRepair(
            CommitLog log, Writing writing, Supplier<Collection<Connection>> peers, LoopExecutor loop, Clock clock) {
        this.log = log;
        this.writing = writing;
        this.peers = peers;
        this.loop = loop;
        this.clock = clock;
        this.reasons = new ReasonLog(clock);
    }

    /** A frame that begins at an offset is damaged. Any thread; does not block. */
    @Override
    public void accept(long offset) {
        if (places.size() < MAX_PLACES && places.add(offset)) {
            LOG.error("event=log_damaged offset={} confirmOffset={}", offset, log.confirmOffset());
        }
        begin(0);
    }

    /** Of a broker that has nobody to ask: says so, of one place once a minute. */
    public static LongConsumer reportOnly(Clock clock) {
        ReasonLog reported = new ReasonLog(clock);
        return offset -> {
            if (reported.isNews(Long.toString(offset))) {
                LOG.error("event=log_damaged offset={}", offset);
            }
        };
    }

    /** How many damaged places are known and not mended. */
    public int openPlaces() {
        return places.size();
    }

    private void begin(long delayMs) {
        if (!places.isEmpty() && busy.compareAndSet(false, true)) {
            try {
                loop.schedule(delayMs, this::next);
            } catch (RejectedExecutionException e) {
                LOG.debug("event=log_not_mended reason=\"the event loops have stopped\"", e);
            }
        }
    }

    private void next() {
        places.removeIf(offset -> offset < log.startOffset()); // deleted meanwhile
        Long behind = places.higher(triedOffset);
        Long place = behind != null ? behind : places.ceiling(0L);
        if (place == null) {
            busy.set(false);
            return;
        }
        new Place(place).askNext();
    }

    private void over(long offset, long mendedTo, @Nullable String why) {
        if (mendedTo > offset) {
            LOG.warn("event=log_mended fromOffset={} toOffset={}", offset, mendedTo);
            places.removeAll(List.copyOf(places.subSet(offset, mendedTo)));
            busy.set(false);
            begin(0);
        } else {
            if (reasons.isNews(offset + ": " + why)) {
                LOG.warn("event=log_not_mended offset={} retryMs={} reason=\"{}\"", offset, RETRY_MS, why);
            }
            triedOffset = offset;
            busy.set(false);
            begin(places.higher(offset) != null ? 0 : RETRY_MS);
        }
    }

    /** One damaged place, and whom to ask for it. */
    private final class Place {
        private final long offset;
        private final long limit;
        private final Optional<Epoch> epochThere;
        private final Deque<Connection> others;
        private final List<String> answers = new ArrayList<>();

        Place(long offset) {
            this.offset = offset;
            this.limit = Math.min(log.confirmOffset(), log.nextSegmentStart(offset));
            this.epochThere = log.extent().epochs().at(offset);
            this.others = new ArrayDeque<>(peers.get());
        }

        @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer ends in the callback
        void askNext() {
            Optional<Epoch> last = log.extent().epochs().at(limit - 1);
            Connection other = others.poll();
            if (other == null || last.isEmpty() || offset >= limit) {
                over(offset, offset, "no other node that is connected has it: " + answers);
                return;
            }
            RangeHeader asked = new RangeHeader(
                    Long.toHexString(log.logId()),
                    offset,
                    limit,
                    last.get().number(),
                    Long.toHexString(last.get().id()));
            other.call(Rpcs.REPLICA_RANGE, asked, null, Deadline.after(clock, CALL_TIMEOUT_MS))
                    .whenComplete((answer, failure) -> loop.execute(() -> answered(other, answer, failure)));
        }

        private void answered(Connection from, @Nullable Answer<RangeAnswer> answer, @Nullable Throwable failure) {
            if (answer == null || !answer.isOk()) {
                answers.add(from.remoteAddress() + ": " + (answer == null ? failure : answer.remarkText()));
                askNext();
                return;
            }
            int epoch = epochThere.map(Epoch::number).orElse(0);
            boolean taken = writing.mend(
                    offset,
                    ByteBuffer.wrap(answer.body()),
                    epoch,
                    limit,
                    end -> loop.execute(() -> written(from, end)));
            if (!taken) {
                over(offset, offset, "too much waits for the preparer");
            }
        }

        private void written(Connection from, long end) {
            if (end > offset) {
                over(offset, end, null);
            } else {
                answers.add(from.remoteAddress() + ": what it sent does not belong there");
                askNext();
            }
        }
    }
}
