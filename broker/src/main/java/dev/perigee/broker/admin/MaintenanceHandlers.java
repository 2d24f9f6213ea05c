package dev.perigee.broker.admin;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.check.Refusal;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.query.QueryConsumeQueueHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.ConsumeQueueData;
import dev.perigee.protocol.stats.ConsumeQueueItem;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.view.ColdReaders;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Housekeeping requests of tools: 306, 316, 321 and 329. What stock brokers have to be told to clean up, this broker cleans
 * up by itself: queues and their files go with the topic, and the log is trimmed by age; so the cleaning requests are
 * acknowledged and change nothing.
 */
@ThreadSafe
public final class MaintenanceHandlers {
    /** Most entries of one answer to 321. */
    static final int MAX_ENTRIES = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceHandlers.class);

    private final ConsumeQueueView queues;
    private final ColdReaders coldReaders;
    private final Runnable deleteExpired;

    /** {@code deleteExpired} lets expired segments go now. */
    public MaintenanceHandlers(ConsumeQueueView queues, ColdReaders coldReaders, Runnable deleteExpired) {
        this.queues = queues;
        this.coldReaders = coldReaders;
        this.deleteExpired = deleteExpired;
    }

    /**
     * 306 and 316: nothing is ever left to clean, for a queue goes with its topic's deletion and with the log it points
     * into. 329: expired segments go now.
     */
    public void clean(Request<NoHeader> request, Reply<NoHeader> reply) {
        LOG.info(
                "event=clean_request code={} by={}",
                request.code(),
                request.from().remoteAddress());
        if (request.code() == RequestCode.DELETE_EXPIRED_COMMITLOG) {
            deleteExpired.run();
        }
        reply.ok(NoHeader.NONE);
    }

    /** 321: entries of a consume queue. Reads its files, so it runs on a cold reader. */
    public void entries(Request<QueryConsumeQueueHeader> request, Reply<NoHeader> reply) {
        QueryConsumeQueueHeader header = request.header();
        ConsumeQueue queue = queues.find(header.topic(), header.queueId());
        if (queue == null) {
            new Refusal(ResponseCode.SYSTEM_ERROR, header.queueId() + "@" + header.topic() + " is not exist!")
                    .answer(reply);
            return;
        }
        ColdAnswer.give(coldReaders, reply, () -> entries(header, queue, reply));
    }

    private static void entries(QueryConsumeQueueHeader header, ConsumeQueue queue, Reply<NoHeader> reply) {
        int count = Math.min(Math.max(0, header.count()), MAX_ENTRIES);
        List<ConsumeQueueItem> items = new ArrayList<>(count);
        queue.read(header.index(), count, (queueOffset, physicalOffset, sizeBytes, tagHash) -> {
            items.add(new ConsumeQueueItem(physicalOffset, sizeBytes, tagHash, null, null, false, null));
            return items.size() < count;
        });
        reply.ok(
                NoHeader.NONE,
                Bodies.json(new ConsumeQueueData(null, null, items, queue.maxOffset(), queue.minOffset())));
    }
}
