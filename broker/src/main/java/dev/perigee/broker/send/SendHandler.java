package dev.perigee.broker.send;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.config.LiveSettings;
import dev.perigee.broker.fact.WaitingReply;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.group.GroupCreation;
import dev.perigee.broker.retry.RetryRoute;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.topic.RouteWaits;
import dev.perigee.broker.topic.TopicCreation;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicName;
import dev.perigee.protocol.topic.TopicSysFlag;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.store.append.AppendResult;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers SEND_MESSAGE (10), SEND_MESSAGE_V2 (310) and SEND_BATCH_MESSAGE (320): checks against one snapshot of the
 * topics, encodes the frame on the event loop into memory of the log, and answers from the log loop when it is stored. A send that
 * had its topic made is stored at once, in the order in which it came, and answered when the NameServers know of the topic too
 * ({@link RouteWaits}).
 */
@ThreadSafe
public final class SendHandler implements RequestHandler<SendMessageHeader, SendMessageResponse> {
    private final TopicView topics;
    private final TopicCreation creation;
    private final RouteWaits routes;
    private final GroupCreation groups;
    private final RetryRoute retryRoute;
    private final SendChecks checks;
    private final FrameWriting writing;
    private final LiveConfig config;
    private final BrokerStats stats;
    private final WaitingRequests waiting;

    /** See {@link SendParts}. */
    public SendHandler(
            SendParts parts,
            TopicView topics,
            TopicCreation creation,
            RouteWaits routes,
            GroupCreation groups,
            WaitingRequests waiting,
            LiveConfig config) {
        this.topics = topics;
        this.creation = creation;
        this.routes = routes;
        this.groups = groups;
        this.waiting = waiting;
        this.config = config;
        this.retryRoute = parts.retryRoute();
        this.checks = parts.checks();
        this.writing = parts.writing();
        this.stats = parts.stats();
    }

    @Override
    public void handle(Request<SendMessageHeader> request, Reply<SendMessageResponse> reply) {
        send(Send.first(request, reply));
    }

    private void send(Send send) {
        LiveSettings live = config.settings();
        SendMessageHeader header = send.header();
        TopicConfig topic = topics.current().find(header.topic());
        Refusal refusal = send.waited() ? null : checks.beforeTopic(send, live, topic);
        if (refusal == null) {
            refusal = checks.content(header, send.body().remaining(), send.isBatch());
        }
        if (refusal == null && RetryRoute.isRetry(header)) {
            refusal = retryRoute.refuse(header);
        }
        String deadLetter = refusal == null ? retryRoute.deadLetterReason(header) : null;
        if (refusal != null) {
            refuse(send, refusal, live);
        } else if (deadLetter != null) {
            sendToDeadLetters(send, deadLetter, live);
        } else if (topic == null) {
            createAndTryAgain(send, plan(header, live), null, live);
        } else {
            append(send, topic, header.queueId(), null, live);
        }
    }

    private @Nullable TopicConfig plan(SendMessageHeader header, LiveSettings live) {
        return RetryRoute.isRetry(header) ? retryRoute.plan(header) : creation.plan(header, live);
    }

    private void sendToDeadLetters(Send send, String reason, LiveSettings live) {
        TopicConfig wanted = RetryRoute.deadLetters(send.header());
        TopicConfig topic = topics.current().find(wanted.topicName());
        if (topic == null) {
            createAndTryAgain(send, wanted, reason, live);
        } else {
            append(send, topic, 0, reason, live);
        }
    }

    private void append(Send send, TopicConfig topic, int queueId, @Nullable String deadLetter, LiveSettings live) {
        Refusal refusal = deadLetter != null ? null : checks.againstTopic(send.header(), topic);
        if (refusal == null) {
            refusal = writing.append(send, topic, queueId, deadLetter, live.traceOn());
        }
        if (refusal != null) {
            refuse(send, refusal, live);
        } else if (deadLetter != null) {
            stats.deadLetter(RetryRoute.userTopic(send.header()), RetryRoute.group(send.header()));
        }
    }

    /** Everything that can refuse a send refuses it before the topic is made: a refused send leaves nothing behind. */
    private void createAndTryAgain(
            Send send, @Nullable TopicConfig plan, @Nullable String deadLetter, LiveSettings live) {
        if (plan == null || send.waited()) {
            refuse(send, unknown(send.header(), deadLetter), live);
            return;
        }
        Refusal refusal = deadLetter != null ? null : checks.againstPlan(send.header(), plan);
        if (refusal == null) {
            refusal = writing.refuse(send, plan, deadLetter, live.traceOn());
        }
        if (refusal != null) {
            refuse(send, refusal, live);
            return;
        }
        waitFor(plan, send, live);
    }

    private static Refusal unknown(SendMessageHeader header, @Nullable String deadLetter) {
        if (deadLetter != null) {
            String topic = RetryRoute.deadLetters(header).topicName();
            return new Refusal(ResponseCode.TOPIC_NOT_EXIST, "topic[" + topic + "] was deleted meanwhile");
        }
        return new Refusal(
                ResponseCode.TOPIC_NOT_EXIST,
                "topic[" + header.topic() + "] not exist, "
                        + (RetryRoute.isRetry(header)
                                ? "and group [" + RetryRoute.group(header) + "] has retryQueueNums 0"
                                : "apply first please!"));
    }

    private void waitFor(TopicConfig plan, Send send, LiveSettings live) {
        WaitingReply<SendMessageResponse> held = waiting.hold(
                send.reply(),
                "topic [" + plan.topicName() + "] to be made",
                send.body().remaining(),
                refusal -> refuse(send, refusal, live));
        if (held == null) {
            return;
        }
        Send later = send.afterWait();
        make(
                plan,
                send.header(),
                result -> later.reply().resume(() -> {
                    if (!held.finish()) {
                        return;
                    }
                    if (result == AppendResult.APPENDED) {
                        send(later.answeredBy(routes));
                    } else {
                        refuse(later, Appends.refusal(result), live);
                    }
                }));
    }

    /** A retry topic is made in turn with changes of its group, so that it has as many queues as the group wants by then. */
    private void make(TopicConfig plan, SendMessageHeader header, Consumer<AppendResult> done) {
        if (TopicName.isRetry(plan.topicName())) {
            groups.makeRetryTopic(RetryRoute.group(header), TopicSysFlag.ofRetryTopic(header.unitMode()), done);
        } else {
            creation.create(plan, done);
        }
    }

    private void refuse(Send send, Refusal refusal, LiveSettings live) {
        stats.refused();
        send.refuse(refusal, writing.marks(), live.traceOn());
    }
}
