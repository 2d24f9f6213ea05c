package dev.perigee.broker.check;

import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Requests whose meaning this release knows and refuses by name with code 3, instead of doing something else with them. The
 * connection stays open. Their headers and bodies are not read.
 */
public final class NotBuilt {
    private static final String TIMER = "figures of timer messages";
    private static final String MODES = "choosing how a group receives messages";
    private static final String POP = "pop consumption";
    private static final String SLAVES = "a stock broker as its master or slave";
    private static final String COLD = "flow control of cold reads";
    private static final String ACCESS = "access control";

    private static final Map<Integer, String> WHAT = new TreeMap<>(Map.ofEntries(
            Map.entry(RequestCode.GET_TIMER_CHECK_POINT, TIMER),
            Map.entry(RequestCode.GET_TIMER_METRICS, TIMER),
            Map.entry(RequestCode.QUERY_ASSIGNMENT, MODES),
            Map.entry(RequestCode.SET_MESSAGE_REQUEST_MODE, MODES),
            Map.entry(RequestCode.GET_ALL_MESSAGE_REQUEST_MODE, MODES),
            Map.entry(RequestCode.UPDATE_AND_GET_GROUP_FORBIDDEN, "forbidding a topic to one group"),
            Map.entry(RequestCode.QUERY_CORRECTION_OFFSET, "the correction of offsets"),
            Map.entry(RequestCode.UPDATE_AND_CREATE_STATIC_TOPIC, "static topics"),
            Map.entry(RequestCode.POP_MESSAGE, POP),
            Map.entry(RequestCode.ACK_MESSAGE, POP),
            Map.entry(RequestCode.BATCH_ACK_MESSAGE, POP),
            Map.entry(RequestCode.PEEK_MESSAGE, POP),
            Map.entry(RequestCode.CHANGE_MESSAGE_INVISIBLETIME, POP),
            Map.entry(RequestCode.NOTIFICATION, POP),
            Map.entry(RequestCode.POLLING_INFO, POP),
            Map.entry(RequestCode.EXCHANGE_BROKER_HA_INFO, SLAVES),
            Map.entry(RequestCode.RESET_MASTER_FLUSH_OFFSET, SLAVES),
            Map.entry(RequestCode.UPDATE_COLD_DATA_FLOW_CTR_CONFIG, COLD),
            Map.entry(RequestCode.REMOVE_COLD_DATA_FLOW_CTR_CONFIG, COLD),
            Map.entry(RequestCode.GET_COLD_DATA_FLOW_CTR_INFO, COLD),
            Map.entry(RequestCode.AUTH_CREATE_USER, ACCESS),
            Map.entry(RequestCode.AUTH_UPDATE_USER, ACCESS),
            Map.entry(RequestCode.AUTH_DELETE_USER, ACCESS),
            Map.entry(RequestCode.AUTH_GET_USER, ACCESS),
            Map.entry(RequestCode.AUTH_LIST_USER, ACCESS),
            Map.entry(RequestCode.AUTH_CREATE_ACL, ACCESS),
            Map.entry(RequestCode.AUTH_UPDATE_ACL, ACCESS),
            Map.entry(RequestCode.AUTH_DELETE_ACL, ACCESS),
            Map.entry(RequestCode.AUTH_GET_ACL, ACCESS),
            Map.entry(RequestCode.AUTH_LIST_ACL, ACCESS)));

    private NotBuilt() {}

    /** Adds a refusal for each of them but those that this broker answers. */
    public static void addTo(HandlerTable.Builder table, Set<Integer> answered) {
        WHAT.forEach((code, what) -> {
            if (!answered.contains(code)) {
                table.on(
                        Rpcs.unread(code),
                        (Request<NoHeader> request, Reply<NoHeader> reply) -> refuse(what, request, reply));
            }
        });
    }

    private static void refuse(String what, Request<NoHeader> request, Reply<NoHeader> reply) {
        reply.fail(
                ResponseCode.REQUEST_CODE_NOT_SUPPORTED,
                " request type " + request.code() + " not supported: this release does not support " + what + " yet");
    }
}
