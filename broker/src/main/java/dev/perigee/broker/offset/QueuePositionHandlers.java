package dev.perigee.broker.offset;

import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.offset.BoundaryType;
import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueueHeader;
import dev.perigee.protocol.header.offset.SearchOffsetHeader;
import dev.perigee.protocol.header.offset.StoreTimeResponse;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.store.queue.Boundary;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.view.ColdReaders;

/**
 * Answers questions about positions in a queue: SEARCH_OFFSET_BY_TIMESTAMP (29), GET_MAX_OFFSET (30), GET_MIN_OFFSET (31)
 * and GET_EARLIEST_MSG_STORETIME (32). A queue that never held a message is answered 0, and −1 as a time.
 */
@ThreadSafe
public final class QueuePositionHandlers {
    private static final long NO_TIME = -1;

    private final ConsumeQueueView queues;
    private final StoreTimes times;
    private final ReadGate gate;
    private final ColdReaders coldReaders;

    /** Searches by time read the log, so they run on the cold readers. */
    public QueuePositionHandlers(ConsumeQueueView queues, StoreTimes times, ReadGate gate, ColdReaders coldReaders) {
        this.queues = queues;
        this.times = times;
        this.gate = gate;
        this.coldReaders = coldReaders;
    }

    /** 29. */
    public void byTime(Request<SearchOffsetHeader> request, Reply<OffsetResponse> reply) {
        SearchOffsetHeader header = request.header();
        gate.pass(
                reply,
                () -> ColdAnswer.give(coldReaders, reply, () -> {
                    ConsumeQueue queue = queues.find(header.topic(), header.queueId());
                    Boundary boundary = header.boundaryType() == BoundaryType.UPPER ? Boundary.UPPER : Boundary.LOWER;
                    reply.ok(new OffsetResponse(queue == null ? 0 : queue.offsetByTime(header.timestamp(), boundary)));
                }));
    }

    /** 30. */
    public void max(Request<MaxOffsetHeader> request, Reply<OffsetResponse> reply) {
        gate.pass(reply, () -> {
            ConsumeQueue queue =
                    queues.find(request.header().topic(), request.header().queueId());
            reply.ok(new OffsetResponse(queue == null ? 0 : queue.maxOffset()));
        });
    }

    /** 31. */
    public void min(Request<QueueHeader> request, Reply<OffsetResponse> reply) {
        gate.pass(reply, () -> {
            ConsumeQueue queue =
                    queues.find(request.header().topic(), request.header().queueId());
            reply.ok(new OffsetResponse(queue == null ? 0 : queue.minOffset()));
        });
    }

    /** 32. */
    public void earliestTime(Request<QueueHeader> request, Reply<StoreTimeResponse> reply) {
        gate.pass(
                reply,
                () -> ColdAnswer.give(coldReaders, reply, () -> {
                    ConsumeQueue queue = queues.find(
                            request.header().topic(), request.header().queueId());
                    reply.ok(new StoreTimeResponse(
                            queue == null ? NO_TIME : times.of(queue, queue.minOffset(), NO_TIME)));
                }));
    }
}
