package dev.perigee.broker.query;

import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.pull.LeasedPayload;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.query.QueryLimits;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.header.query.QueryMessageResponse;
import dev.perigee.protocol.header.query.ViewMessageHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.store.index.KeyIndexView;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.ColdReaders;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Answers QUERY_MESSAGE (12) and VIEW_MESSAGE_BY_ID (33), on the cold readers. */
@ThreadSafe
public final class QueryHandlers {
    private static final Set<String> INDEX_TYPES = Set.of("K", "U");

    private final Optional<KeyIndexView> index;
    private final FrameLookup frames;
    private final ReadGate gate;
    private final ColdReaders coldReaders;
    private final int maxByUniqueKey;

    /** Without an index nothing is found by key. */
    public QueryHandlers(
            Optional<KeyIndexView> index,
            FrameLookup frames,
            ReadGate gate,
            ColdReaders coldReaders,
            int maxByUniqueKey) {
        this.index = index;
        this.frames = frames;
        this.gate = gate;
        this.coldReaders = coldReaders;
        this.maxByUniqueKey = maxByUniqueKey;
    }

    /** 12. */
    public void byKey(Request<QueryMessageHeader> request, Reply<QueryMessageResponse> reply) {
        Refusal refusal = refuse(request.header());
        if (refusal != null) {
            refusal.answer(reply);
            return;
        }
        gate.pass(reply, () -> ColdAnswer.give(coldReaders, reply, () -> answerKey(request.header(), reply)));
    }

    /** 33. */
    public void byOffset(Request<ViewMessageHeader> request, Reply<NoHeader> reply) {
        gate.pass(
                reply,
                () -> ColdAnswer.give(coldReaders, reply, () -> {
                    SegmentLease lease = frames.find(request.header().offset());
                    if (lease == null) {
                        reply.fail(
                                ResponseCode.SYSTEM_ERROR,
                                "can not find message by the offset, "
                                        + request.header().offset());
                    } else {
                        reply.ok(NoHeader.NONE, new LeasedPayload(new SegmentLease[] {lease}, 1, lease.sizeBytes()));
                    }
                }));
    }

    /** What would be answered with something else than was asked for, or from the start again. */
    private static @Nullable Refusal refuse(QueryMessageHeader header) {
        String type = header.indexType();
        if (type != null && !type.isEmpty() && !INDEX_TYPES.contains(type)) {
            return new Refusal(
                    ResponseCode.INVALID_PARAMETER,
                    "indexType " + type + " is not indexed, only K (keys) and U (unique keys)");
        }
        if (header.lastKey() != null && !header.lastKey().isEmpty()) {
            return new Refusal(
                    ResponseCode.INVALID_PARAMETER,
                    "lastKey: an answer does not go on where another ended; ask for a shorter time");
        }
        return null;
    }

    private void answerKey(QueryMessageHeader header, Reply<QueryMessageResponse> reply) {
        int wanted = header.isByUniqueKey()
                ? maxByUniqueKey
                : Math.min(Math.max(1, header.maxNum()), QueryLimits.MAX_MESSAGES);
        List<Long> offsets = index.map(keys -> keys.query(
                        header.topic(), header.key(), wanted, header.beginTimestamp(), header.endTimestamp()))
                .orElse(List.of());
        List<SegmentLease> leases = frames.findAll(offsets, QueryLimits.MAX_ANSWER_BYTES);
        QueryMessageResponse response = new QueryMessageResponse(0, 0);
        if (leases.isEmpty()) {
            reply.send(
                    ResponseCode.QUERY_NOT_FOUND, "can not find message, maybe time range not correct", response, null);
        } else {
            SegmentLease[] all = leases.toArray(SegmentLease[]::new);
            int sizeBytes = leases.stream().mapToInt(SegmentLease::sizeBytes).sum();
            reply.ok(response, new LeasedPayload(all, all.length, sizeBytes));
        }
    }
}
