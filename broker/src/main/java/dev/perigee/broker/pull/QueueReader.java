package dev.perigee.broker.pull;

import dev.perigee.broker.config.ReadSettings;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.view.ColdReaders;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads queues for pulls: from memory on the asking thread when everything is there, else on a cold reader; turns offsets into
 * answers (table of broker-client §2.1).
 */
@ThreadSafe
public final class QueueReader {
    /** Messages this close to the end of the log are near it whatever the settings say. */
    static final long NEAR_BYTES = 512L << 20;

    private static final long MASTER_ID = 0;

    private final ConsumeQueueView queues;
    private final CommitLog log;
    private final ReadSettings settings;
    private final BrokerStats stats;
    private final ColdReaders coldReaders;
    private final LongPredicate mayReadFrom;
    private final LongConsumer onDamage;
    /** Where the log ended when this process took it over: what lies before need not be in the machine's memory. */
    private final long takenOverAt;

    /**
     * What has to wait for the disk goes to {@code coldReaders}, which may refuse it.
     *
     * @param mayReadFrom whether readers that fall behind memory may be sent to the slave of this id
     * @param onDamage told where a frame of the log is damaged, on the reading thread; must not block
     */
    public QueueReader(
            ConsumeQueueView queues,
            CommitLog log,
            ReadSettings settings,
            BrokerStats stats,
            ColdReaders coldReaders,
            LongPredicate mayReadFrom,
            LongConsumer onDamage) {
        this.queues = queues;
        this.log = log;
        this.settings = settings;
        this.stats = stats;
        this.coldReaders = coldReaders;
        this.mayReadFrom = mayReadFrom;
        this.onDamage = onDamage;
        this.takenOverAt = log.endOffset();
    }

    @Nullable
    ConsumeQueue find(String topic, int queueId) {
        return queues.find(topic, queueId);
    }

    /** The threads that wait for the disk. */
    ColdReaders coldReaders() {
        return coldReaders;
    }

    /** What a pull of a queue is answered that a tool has reset. */
    PullAnswer moved(PullMessageHeader header, PullChecks.Plan plan, long newOffset) {
        ConsumeQueue queue = find(header.topic(), header.queueId());
        long min = queue == null ? 0 : queue.minOffset();
        long max = queue == null ? 0 : queue.maxOffset();
        return missed(plan, ReadStatus.OFFSET_RESET, header.queueOffset(), newOffset, min, max);
    }

    /** Answers from memory alone; null when the disk would have to be asked. */
    @Nullable
    PullAnswer readLoaded(
            PullMessageHeader header, long fromOffset, @Nullable ConsumeQueue queue, PullChecks.Plan plan) {
        if (queue == null
                || fromOffset < queue.minOffset()
                || queue.isLoaded(fromOffset, Math.max(QueueRead.MIN_SCAN, settings.maxCountNear()))) {
            return read(header, fromOffset, queue, plan, inMemoryFrom());
        }
        return null;
    }

    /** What this process wrote lately is in memory as it was written. */
    private long inMemoryFrom() {
        return Math.max(takenOverAt, log.endOffset() - NEAR_BYTES);
    }

    /** Answers; may wait for the disk. */
    PullAnswer read(PullMessageHeader header, long fromOffset, @Nullable ConsumeQueue queue, PullChecks.Plan plan) {
        return Objects.requireNonNull(read(header, fromOffset, queue, plan, QueueRead.WHOLE_LOG));
    }

    private @Nullable PullAnswer read(
            PullMessageHeader header,
            long asked,
            @Nullable ConsumeQueue queue,
            PullChecks.Plan plan,
            long trustedFrom) {
        if (queue == null) {
            return missed(plan, ReadStatus.NO_MATCHED_LOGIC_QUEUE, asked, 0, 0, 0);
        }
        long min = queue.minOffset();
        long max = queue.maxOffset();
        if (max == 0) {
            return missed(plan, ReadStatus.NO_MESSAGE_IN_QUEUE, asked, 0, min, max);
        } else if (asked < min) {
            return missed(plan, ReadStatus.OFFSET_TOO_SMALL, asked, min, min, max);
        } else if (asked == max) {
            return missed(plan, ReadStatus.OFFSET_OVERFLOW_ONE, asked, asked, min, max);
        } else if (asked > max) {
            return missed(plan, ReadStatus.OFFSET_OVERFLOW_BADLY, asked, max, min, max);
        }
        ReadLimits limits = isFar(queue, asked)
                ? ReadLimits.far(settings, header.maxMsgNums())
                : ReadLimits.near(settings, header.maxMsgNums());
        QueueRead read = new QueueRead(log, plan.filter(), limits, trustedFrom, inMemoryFrom());
        try {
            read.read(queue, asked);
        } catch (DamagedLogException e) {
            onDamage.accept(e.offset());
            throw e;
        }
        return read.status() == ReadStatus.NOT_LOADED ? null : found(header, asked, read, plan, min, max);
    }

    /** Whether the message at the offset lies so far back that a pull should return less of it. */
    private boolean isFar(ConsumeQueue queue, long offset) {
        long nearFrom = log.endOffset() - Math.max(NEAR_BYTES, settings.inMemoryBytes());
        if (log.startOffset() >= nearFrom) {
            return false; // so does the whole log, and no entry needs to be looked at
        }
        long[] physical = {Long.MAX_VALUE};
        queue.read(offset, 1, (queueOffset, physicalOffset, sizeBytes, tagHash) -> {
            physical[0] = physicalOffset;
            return false;
        });
        return physical[0] < nearFrom;
    }

    private PullAnswer found(
            PullMessageHeader header, long asked, QueueRead read, PullChecks.Plan plan, long min, long max) {
        long next = suggestion(plan, read);
        if (read.status() == ReadStatus.FOUND) {
            stats.read(header.topic(), header.consumerGroup(), read.messages(), read.sizeBytes());
            return new PullAnswer(
                            0, ReadStatus.FOUND, PullAnswer.header(plan, read.nextOffset(), min, max), read.payload())
                    .withSuggestion(next);
        }
        return missed(plan, read.status(), asked, read.nextOffset(), min, max).withSuggestion(next);
    }

    /** Where the reader is to go on: with the slave its group names when what it reads has fallen out of memory, else here. */
    private long suggestion(PullChecks.Plan plan, QueueRead read) {
        SubscriptionGroupConfig group = plan.group();
        boolean looked = read.lastPhysicalOffset() > 0;
        if (group == null || !looked || log.endOffset() - read.lastPhysicalOffset() <= settings.inMemoryBytes()) {
            return MASTER_ID;
        }
        long slave = group.whichBrokerWhenConsumeSlowly();
        return mayReadFrom.test(slave) ? slave : MASTER_ID;
    }

    private PullAnswer missed(PullChecks.Plan plan, ReadStatus status, long asked, long next, long min, long max) {
        stats.missed();
        return new PullAnswer(status.code(asked), status, PullAnswer.header(plan, next, min, max), null);
    }
}
