package dev.perigee.broker.check;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Gate;
import dev.perigee.remoting.Request;
import dev.perigee.replica.Standing;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a slave answers to what only its master may do: with the codes of stock slaves, so that a producer tries the next queue, a
 * transaction is checked again and a tool says what is wrong. Deletion of what expires, which tools ask all brokers of a cluster for, one
 * after the other until one refuses, is answered with success and done by the master. A slave that may not be read yet (R21) answers nothing but heartbeats,
 * what tools ask of its own state, and pulls, which are sent on.
 */
@Immutable
public final class SlaveGate implements Gate {
    private static final String MESSAGES = "it takes no messages, send to the master";
    private static final String LOCKS = "queues are locked on the master";
    private static final String TRANSACTIONS = "transactions end on the master";
    private static final String RECALLS = "messages are recalled on the master";
    private static final String SETTINGS = "topics and groups are changed on the master";
    private static final String OFFSETS = "offsets are reset and copied on the master";
    private static final String FILES = "nothing is deleted here, its master says what expires";

    private record Rule(int code, String why) {}

    private static final Map<Integer, Rule> ONLY_MASTER = new TreeMap<>(Map.ofEntries(
            Map.entry(RequestCode.SEND_MESSAGE, new Rule(ResponseCode.SYSTEM_BUSY, MESSAGES)),
            Map.entry(RequestCode.SEND_MESSAGE_V2, new Rule(ResponseCode.SYSTEM_BUSY, MESSAGES)),
            Map.entry(RequestCode.SEND_BATCH_MESSAGE, new Rule(ResponseCode.SYSTEM_BUSY, MESSAGES)),
            Map.entry(RequestCode.SEND_REPLY_MESSAGE, new Rule(ResponseCode.SYSTEM_BUSY, MESSAGES)),
            Map.entry(RequestCode.SEND_REPLY_MESSAGE_V2, new Rule(ResponseCode.SYSTEM_BUSY, MESSAGES)),
            Map.entry(RequestCode.CONSUMER_SEND_MSG_BACK, new Rule(ResponseCode.SYSTEM_BUSY, MESSAGES)),
            Map.entry(RequestCode.LOCK_BATCH_MQ, new Rule(ResponseCode.SYSTEM_BUSY, LOCKS)),
            Map.entry(RequestCode.END_TRANSACTION, new Rule(ResponseCode.SLAVE_NOT_AVAILABLE, TRANSACTIONS)),
            Map.entry(RequestCode.RECALL_MESSAGE, new Rule(ResponseCode.SLAVE_NOT_AVAILABLE, RECALLS)),
            Map.entry(RequestCode.RESUME_CHECK_HALF_MESSAGE, new Rule(ResponseCode.SYSTEM_ERROR, TRANSACTIONS)),
            Map.entry(RequestCode.UPDATE_AND_CREATE_TOPIC, new Rule(ResponseCode.SYSTEM_ERROR, SETTINGS)),
            Map.entry(RequestCode.UPDATE_AND_CREATE_TOPIC_LIST, new Rule(ResponseCode.SYSTEM_ERROR, SETTINGS)),
            Map.entry(RequestCode.DELETE_TOPIC_IN_BROKER, new Rule(ResponseCode.SYSTEM_ERROR, SETTINGS)),
            Map.entry(RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, new Rule(ResponseCode.SYSTEM_ERROR, SETTINGS)),
            Map.entry(
                    RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST,
                    new Rule(ResponseCode.SYSTEM_ERROR, SETTINGS)),
            Map.entry(RequestCode.DELETE_SUBSCRIPTIONGROUP, new Rule(ResponseCode.SYSTEM_ERROR, SETTINGS)),
            Map.entry(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, new Rule(ResponseCode.SYSTEM_ERROR, OFFSETS)),
            Map.entry(RequestCode.CLONE_GROUP_OFFSET, new Rule(ResponseCode.SYSTEM_ERROR, OFFSETS)),
            Map.entry(RequestCode.CLEAN_UNUSED_TOPIC, new Rule(ResponseCode.SUCCESS, FILES)),
            Map.entry(RequestCode.CLEAN_EXPIRED_CONSUMEQUEUE, new Rule(ResponseCode.SUCCESS, FILES)),
            Map.entry(RequestCode.DELETE_EXPIRED_COMMITLOG, new Rule(ResponseCode.SUCCESS, FILES))));

    private static final Set<Integer> WHILE_FILLING = new TreeSet<>(Set.of(
            RequestCode.HEART_BEAT,
            RequestCode.UNREGISTER_CLIENT,
            RequestCode.PULL_MESSAGE,
            RequestCode.LITE_PULL_MESSAGE,
            RequestCode.GET_BROKER_RUNTIME_INFO,
            RequestCode.GET_BROKER_HA_STATUS,
            RequestCode.EXCHANGE_BROKER_HA_INFO,
            RequestCode.REPLICA_RANGE,
            RequestCode.RAFT_STATUS,
            RequestCode.GET_BROKER_CONFIG,
            RequestCode.UPDATE_BROKER_CONFIG));

    private final Standing standing;
    private final Gate next;
    private final String self;

    /** @param next asked about what may pass here */
    public SlaveGate(Standing standing, BrokerIdentity identity, Gate next) {
        this.standing = standing;
        this.next = next;
        this.self = "broker " + identity.name() + " with brokerId " + identity.id() + " is a slave: ";
    }

    /** Whether a request may be served by a master alone. */
    public static boolean isForMastersOnly(int code) {
        return ONLY_MASTER.containsKey(code);
    }

    @Override
    public Gate.@Nullable Refusal check(Request<?> request) {
        Rule rule = ONLY_MASTER.get(request.code());
        if (rule != null) {
            String mark = rule.code() == ResponseCode.SUCCESS ? "" : "[REJECTREQUEST]";
            return new Gate.Refusal(rule.code(), mark + self + rule.why());
        }
        if (!WHILE_FILLING.contains(request.code())) {
            String notYet = standing.notYet().orElse(null);
            if (notYet != null) {
                return new Gate.Refusal(ResponseCode.SYSTEM_BUSY, "[REJECTREQUEST]" + self + notYet);
            }
        }
        return next.check(request);
    }
}
