package dev.perigee.broker.pull;

import dev.perigee.broker.config.ReadSettings;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.view.ColdReaders;
import org.jspecify.annotations.Nullable;

/** Reads queues for pulls: decides near or far, and turns offsets into answers (table of broker-client §2.1). */
@ThreadSafe
public final class QueueReader {
    /** Messages this close to the end of the log are taken to be in memory. */
    static final long HOT_BYTES = 512L << 20;

    private final ConsumeQueueView queues;
    private final CommitLog log;
    private final ReadSettings settings;
    private final BrokerStats stats;
    private final ColdReaders coldReaders;

    /** Far reads go to {@code coldReaders}, which may refuse them. */
    public QueueReader(
            ConsumeQueueView queues, CommitLog log, ReadSettings settings, BrokerStats stats, ColdReaders coldReaders) {
        this.queues = queues;
        this.log = log;
        this.settings = settings;
        this.stats = stats;
        this.coldReaders = coldReaders;
    }

    @Nullable
    ConsumeQueue find(String topic, int queueId) {
        return queues.find(topic, queueId);
    }

    /** Whether reading at the offset may have to wait for the disk. Looks only at memory itself. */
    boolean mayBlock(ConsumeQueue queue, long offset) {
        if (offset < queue.minOffset() || offset >= queue.maxOffset()) {
            return false;
        }
        return offset < queue.memoryStart() || isFar(queue, offset);
    }

    /**
     * Whether the message at the offset lies so far back that a pull should return less of it. Waits for the disk when the
     * queue's entry is not in memory.
     */
    boolean isFar(ConsumeQueue queue, long offset) {
        long[] physical = {Long.MAX_VALUE};
        queue.read(offset, 1, (queueOffset, physicalOffset, sizeBytes, tagHash) -> {
            physical[0] = physicalOffset;
            return false;
        });
        return log.endOffset() - physical[0] > HOT_BYTES;
    }

    /** The threads of far reads. */
    ColdReaders coldReaders() {
        return coldReaders;
    }

    PullAnswer read(PullMessageHeader header, @Nullable ConsumeQueue queue, PullChecks.Plan plan, boolean cold) {
        long asked = header.queueOffset();
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
        ReadLimits limits =
                cold ? ReadLimits.cold(settings, header.maxMsgNums()) : ReadLimits.hot(settings, header.maxMsgNums());
        QueueRead read = new QueueRead(log, plan.filter(), limits);
        read.read(queue, asked);
        return found(header, read, plan, min, max);
    }

    private PullAnswer found(PullMessageHeader header, QueueRead read, PullChecks.Plan plan, long min, long max) {
        if (read.status() == ReadStatus.FOUND) {
            stats.read(header.topic(), header.consumerGroup(), read.messages(), read.sizeBytes());
            return new PullAnswer(
                    0, ReadStatus.FOUND, PullAnswer.header(plan, read.nextOffset(), min, max), read.payload());
        }
        return missed(plan, read.status(), header.queueOffset(), read.nextOffset(), min, max);
    }

    private PullAnswer missed(PullChecks.Plan plan, ReadStatus status, long asked, long next, long min, long max) {
        stats.missed();
        return new PullAnswer(status.code(asked), status, PullAnswer.header(plan, next, min, max), null);
    }
}
