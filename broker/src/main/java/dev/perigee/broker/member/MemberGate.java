package dev.perigee.broker.member;

import dev.perigee.broker.check.SlaveGate;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Gate;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Who answers a request at a member, decided when it comes: this member while it serves as the master; else the leader, to whom it is handed
 * over. While nobody is known to lead, messages are read here as from a slave without its master, and the rest is kept for a while: also
 * positions of groups and where queues end, which might go back (R26). What concerns this very process, its
 * connections, its files and its settings, it always answers itself.
 */
@ThreadSafe
public final class MemberGate implements Gate, HandlerTable.Before {
    /** Of this process, whoever leads. */
    private static final Set<Integer> OWN = new TreeSet<>(Set.of(
            RequestCode.HEART_BEAT,
            RequestCode.UNREGISTER_CLIENT,
            RequestCode.CHECK_CLIENT_CONFIG,
            RequestCode.GET_CONSUMER_CONNECTION_LIST,
            RequestCode.GET_PRODUCER_CONNECTION_LIST,
            RequestCode.GET_ALL_PRODUCER_INFO,
            RequestCode.GET_CONSUMER_RUNNING_INFO,
            RequestCode.CONSUME_MESSAGE_DIRECTLY,
            RequestCode.INVOKE_BROKER_TO_GET_CONSUMER_STATUS,
            RequestCode.GET_BROKER_CONFIG,
            RequestCode.UPDATE_BROKER_CONFIG,
            RequestCode.GET_BROKER_RUNTIME_INFO,
            RequestCode.GET_BROKER_HA_STATUS,
            RequestCode.EXCHANGE_BROKER_HA_INFO,
            RequestCode.REPLICA_RANGE,
            RequestCode.RAFT_STATUS,
            RequestCode.VIEW_BROKER_STATS_DATA,
            RequestCode.CLEAN_UNUSED_TOPIC,
            RequestCode.CLEAN_EXPIRED_CONSUMEQUEUE,
            RequestCode.DELETE_EXPIRED_COMMITLOG));

    /** What a member that hears no leader reads for others: nobody can tell from it that it is not the newest (R32). */
    private static final Set<Integer> READS = new TreeSet<>(Set.of(
            RequestCode.PULL_MESSAGE,
            RequestCode.LITE_PULL_MESSAGE,
            RequestCode.QUERY_MESSAGE,
            RequestCode.VIEW_MESSAGE_BY_ID,
            RequestCode.GET_MIN_OFFSET,
            RequestCode.GET_EARLIEST_MSG_STORETIME,
            RequestCode.GET_CONSUMER_LIST_BY_GROUP,
            RequestCode.GET_TOPIC_CONFIG,
            RequestCode.GET_ALL_TOPIC_CONFIG,
            RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_BROKER,
            RequestCode.GET_SUBSCRIPTIONGROUP_CONFIG,
            RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG,
            RequestCode.GET_TOPIC_STATS_INFO));

    /** What a member has to be that answers a request for all of its group. */
    enum TakenBy {
        /** The one that leads, also where it does not serve, or no more. */
        LEADER,
        /** The one that serves clients; it is read. */
        MASTER,
        /** The one that takes what only a master may do. */
        WRITER;

        static TakenBy of(int code) {
            if (code == RequestCode.RAFT_ORDER) {
                return LEADER;
            }
            return READS.contains(code) ? MASTER : WRITER;
        }
    }

    private static final Gate.Refusal NOT_LED = new Gate.Refusal(
            ResponseCode.NOT_THE_LEADER, "the member that this was handed over to does not lead its group, or not yet");

    /** It is asked again where its member says to be next. */
    private static final Gate.Refusal OTHER_GROUP = new Gate.Refusal(
            ResponseCode.NOT_THE_LEADER,
            "the member that this was handed over to is of another group than forwardedGroup or forwardedLog says");

    private static final String LATE =
            "[REJECTREQUEST]this member was without a leader since this connection was opened, or until just now, so what it says may be of"
                    + " long ago and was not done; order it over a new connection, or at the leader";

    /**
     * What the gate is to know of the broker.
     *
     * @param next asked about what this member answers as the master
     * @param consumers the client id of the consumer on a connection; null when there is none
     * @param late which orders are not handed over
     * @param holdsOffsets whether questions for offsets wait until a master before knows that it is one no more
     */
    public record Served(
            Gate next,
            Function<Connection, @Nullable String> consumers,
            LateOrders late,
            BooleanSupplier holdsOffsets) {}

    private final MemberStanding standing;
    private final ForwardedCalls forwarded;
    private final SlaveGate slave;
    private final Served served;
    private final OpenWrites open;

    /**
     * Of a member.
     *
     * @param slave what may pass while nobody is known to lead
     * @param open counts what only a master may answer while it is answered here; not what waits for a master before
     */
    public MemberGate(
            MemberStanding standing, ForwardedCalls forwarded, SlaveGate slave, Served served, OpenWrites open) {
        this.standing = standing;
        this.forwarded = forwarded;
        this.slave = slave;
        this.served = served;
        this.open = open;
    }

    /** Of what this member answers in any case; of all else the way is chosen once, by what stands before its handler. */
    @Override
    public Gate.@Nullable Refusal check(Request<?> request) {
        return OWN.contains(request.code()) ? gate(way(request.code())).check(request) : null;
    }

    private Gate gate(Way way) {
        return way == Way.HERE ? served.next() : slave;
    }

    private enum Way {
        HERE,
        AS_SLAVE,
        HANDED_OVER
    }

    private Way way(int code) {
        if (OWN.contains(code)) {
            return standing.serves() ? Way.HERE : Way.AS_SLAVE;
        }
        if (isMine(code)) {
            return Way.HERE;
        }
        boolean isKept = TakenBy.of(code) != TakenBy.MASTER; // until somebody takes it
        return isKept || forwarded.isPossible() ? Way.HANDED_OVER : Way.AS_SLAVE;
    }

    @Override
    public <Q extends Record, R extends Record> RequestHandler<Q, R> of(Rpc<Q, R> rpc, RequestHandler<Q, R> handler) {
        if (OWN.contains(rpc.code())) {
            return handler;
        }
        if (TakenBy.of(rpc.code()) != TakenBy.WRITER) {
            return (request, reply) -> answer(rpc, handler, way(rpc.code()), request, reply);
        }
        return (request, reply) -> {
            open.begin(); // before it is asked whether this member takes it
            Way way = way(rpc.code());
            boolean counts = way != Way.HANDED_OVER && !waitsLong(rpc.code());
            if (!counts) {
                open.end();
            }
            answer(rpc, handler, way, request, counts ? open.counted(reply) : reply);
        };
    }

    private boolean waitsLong(int code) {
        return code == RequestCode.QUERY_CONSUMER_OFFSET
                && served.holdsOffsets().getAsBoolean();
    }

    private <Q extends Record, R extends Record> void answer(
            Rpc<Q, R> rpc, RequestHandler<Q, R> handler, Way way, Request<Q> request, Reply<R> reply) {
        if (way == Way.HANDED_OVER) {
            if (served.late().isOne(request)) {
                reply.fail(ResponseCode.SYSTEM_BUSY, LATE);
            } else {
                forwarded.forward(rpc, request, served.consumers().apply(request.from()), reply);
            }
            return;
        }
        Gate.Refusal refusal = gate(way).check(request);
        if (refusal == null) {
            answer(handler, request, reply);
        } else {
            reply.fail(refusal.code(), refusal.remark());
        }
    }

    /**
     * Of what other members of this group handed over: it is answered by the leader, and never handed on. What a member is, a tool asks there
     * as well that knows nothing but where members listen for each other.
     */
    public HandlerTable.Before ofMembers() {
        return new HandlerTable.Before() {
            @Override
            public <Q extends Record, R extends Record> RequestHandler<Q, R> of(
                    Rpc<Q, R> rpc, RequestHandler<Q, R> handler) {
                if (rpc.code() == RequestCode.RAFT_STATUS) {
                    return handler;
                }
                boolean isWrite = TakenBy.of(rpc.code()) == TakenBy.WRITER;
                return (carried, reply) -> {
                    ForwardedFields.Made<Q> made = ForwardedFields.asMade(carried);
                    Request<Q> request = made.request();
                    Reply<R> way = reply;
                    if (isWrite && !waitsLong(rpc.code())) {
                        open.begin();
                        way = open.counted(reply);
                    }
                    Gate.Refusal refusal = forwarded.isOfGroup(made) ? ofLeader(request) : OTHER_GROUP;
                    if (refusal == null) {
                        answer(handler, request, way);
                    } else {
                        way.fail(refusal.code(), refusal.remark());
                    }
                };
            }
        };
    }

    private Gate.@Nullable Refusal ofLeader(Request<?> request) {
        return isMine(request.code()) ? served.next().check(request) : NOT_LED;
    }

    /** Whatever the handler throws, the request is answered, and so counted. */
    private static <Q extends Record, R extends Record> void answer(
            RequestHandler<Q, R> handler, Request<Q> request, Reply<R> reply) {
        reply.guard(() -> handler.handle(request, reply));
    }

    private boolean isMine(int code) {
        return switch (TakenBy.of(code)) {
            case LEADER -> standing.group().leads();
            case MASTER -> standing.serves();
            case WRITER -> standing.takes();
        };
    }
}
