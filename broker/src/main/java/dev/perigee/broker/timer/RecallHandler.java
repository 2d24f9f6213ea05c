package dev.perigee.broker.timer;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.config.LiveSettings;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.fact.WaitingReply;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.RecallMessageHeader;
import dev.perigee.protocol.header.send.RecallMessageResponse;
import dev.perigee.protocol.message.RecallHandle;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import org.jspecify.annotations.Nullable;

/**
 * Answers RECALL_MESSAGE (370): takes back a message that waits. What can be said without looking for it is said here, in the
 * order of broker-client §5.4; the rest is decided by {@link Recalls}, once the views have seen all that was confirmed when the
 * request came. Runs on the event loop.
 */
@Immutable
public final class RecallHandler implements RequestHandler<RecallMessageHeader, RecallMessageResponse> {
    private static final int MAX_REPEATED = 64; // characters of a handle repeated in a refusal

    private final Recalls recalls;
    private final TopicView topics;
    private final ReadGate gate;
    private final LiveConfig config;
    private final Clock clock;
    private final String brokerName;
    private final boolean enabled;

    /** @param served see {@link Served} */
    public RecallHandler(
            Recalls recalls, TopicView topics, ReadGate gate, LiveConfig config, Clock clock, Served served) {
        this.recalls = recalls;
        this.topics = topics;
        this.gate = gate;
        this.config = config;
        this.clock = clock;
        this.brokerName = served.brokerName();
        this.enabled = served.enabled();
    }

    /**
     * By whom recalls are served.
     *
     * @param brokerName what handles of this broker name
     * @param enabled whether they are served
     */
    public record Served(String brokerName, boolean enabled) {}

    @Override
    public void handle(Request<RecallMessageHeader> request, Reply<RecallMessageResponse> reply) {
        RecallMessageHeader header = request.header();
        Refusal refusal = refuse(header);
        RecallHandle handle = RecallHandle.parse(header.recallHandle());
        if (refusal == null && handle == null) {
            refusal = illegal(header, "is no handle");
        }
        if (refusal == null && handle != null) {
            refusal = misdirected(header, handle);
        }
        if (refusal != null) {
            reply.send(refusal.code(), refusal.remark(), recalls.nothing(), null);
        } else if (handle != null) {
            WaitingReply<RecallMessageResponse> held = recalls.hold(header.recallHandle(), reply);
            if (held != null) {
                ask(handle, held);
            }
        }
    }

    private void ask(RecallHandle handle, WaitingReply<RecallMessageResponse> held) {
        held.guard(() -> gate.pass(held, () -> recalls.ask(handle, held)));
    }

    private @Nullable Refusal refuse(RecallMessageHeader header) {
        LiveSettings live = config.settings();
        if (!enabled) {
            return new Refusal(ResponseCode.NO_PERMISSION, "recallMessageEnable is false on this broker");
        }
        if (live.acceptSendsFromMs() > 0 && clock.wallMs() < live.acceptSendsFromMs()) {
            return new Refusal(
                    ResponseCode.SERVICE_NOT_AVAILABLE,
                    "broker unable to service, until startAcceptSendRequestTimeStamp " + live.acceptSendsFromMs());
        }
        if (!live.writable()) {
            return new Refusal(
                    ResponseCode.SERVICE_NOT_AVAILABLE,
                    "the broker's brokerPermission " + live.permission() + " forbids recalling");
        }
        return topics.current().find(header.topic()) != null
                ? null
                : new Refusal(
                        ResponseCode.TOPIC_NOT_EXIST, "topic[" + header.topic() + "] not exist, apply first please!");
    }

    private @Nullable Refusal misdirected(RecallMessageHeader header, RecallHandle handle) {
        if (!handle.topic().equals(header.topic())) {
            return illegal(header, "is of topic[" + handle.topic() + "], asked for topic[" + header.topic() + "]");
        }
        return handle.brokerName().equals(brokerName)
                ? null
                : illegal(header, "is of broker[" + handle.brokerName() + "], this is broker[" + brokerName + "]");
    }

    private static Refusal illegal(RecallMessageHeader header, String what) {
        String text = header.recallHandle();
        String shown = text.length() <= MAX_REPEATED ? text : text.substring(0, MAX_REPEATED) + "…";
        return new Refusal(ResponseCode.ILLEGAL_OPERATION, "recallHandle[" + shown + "] " + what);
    }
}
