package dev.perigee.client.queue;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.HeldPulls;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.pull.PullSysFlag;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Asks brokers for messages and turns the answers into messages, on the event loop the answer came in. */
@ThreadSafe
public final class PullCalls {
    private final ClientInstance instance;
    private final String group;
    private final PullStyle style;
    private final MessageReader reader;
    private final HeldPulls held;
    /** Brokers of 4.x, which take a lite pull under the code of a plain one. */
    private final Set<String> withoutLitePull = ConcurrentHashMap.newKeySet();

    public PullCalls(ClientInstance instance, String group, PullStyle style, MessageReader reader) {
        this.instance = instance;
        this.group = group;
        this.style = style;
        this.reader = reader;
        this.held = new HeldPulls(instance);
    }

    /**
     * One pull.
     *
     * @param queue the queue
     * @param offset where to begin
     * @param commitOffset what to commit by the way; 0 for nothing
     * @param brokerId which member to ask
     * @param subscription what the queue's topic is filtered by
     * @param maxMessages how many messages at most
     */
    public record Ask(
            MessageQueue queue,
            long offset,
            long commitOffset,
            long brokerId,
            SubscriptionData subscription,
            int maxMessages) {}

    /** How this consumer pulls. */
    public PullStyle style() {
        return style;
    }

    /**
     * Pulls, letting the broker hold the request while there is nothing. Fails with a {@link ClientException}, also when the broker answers
     * nothing at all any more and another one of its name has become the master.
     */
    public CompletableFuture<Pulled> pull(Ask ask) {
        return send(ask, style.suspendMs(), style.timeoutMs());
    }

    /** Pulls without waiting at the broker. */
    public CompletableFuture<Pulled> pullNow(Ask ask) {
        return send(ask, 0, instance.settings().callTimeoutMs());
    }

    private CompletableFuture<Pulled> send(Ask ask, long suspendMs, long timeoutMs) {
        Deadline deadline = Deadline.after(instance.clock(), timeoutMs);
        CompletableFuture<Pulled> result = new CompletableFuture<>();
        String topic = ask.queue.topic();
        Optional<String> address = instance.routes().address(ask.queue.brokerName(), ask.brokerId);
        if (address.isEmpty()) {
            result.completeExceptionally(new NoRouteException(
                    "no address known of broker " + ask.queue.brokerName(),
                    FailureSite.untried(topic, deadline.remainingMs())));
            return result;
        }
        boolean toMaster = address.equals(instance.routes().masterAddress(ask.queue.brokerName()));
        boolean isLite = style.kind() == PullStyle.Kind.LITE_PULL && !withoutLitePull.contains(address.get());
        var rpc = isLite ? Rpcs.LITE_PULL_MESSAGE : Rpcs.PULL_MESSAGE;
        BrokerCalls.Question<PullMessageHeader, PullMessageResponse> question =
                new BrokerCalls.Question<>(address.get(), rpc, header(ask, suspendMs, toMaster), null, topic, deadline);
        HeldPulls.End end = suspendMs > 0 ? held.begin(ask.queue, address.get(), deadline, result) : isAnswered -> {};
        Completion.on(instance.calls().ask(question), (answered, failure) -> {
            end.ended(failure == null);
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (isLite && answered.code() == ResponseCode.REQUEST_CODE_NOT_SUPPORTED) {
                withoutLitePull.add(address.get());
                sendInto(result, ask, suspendMs, timeoutMs);
            } else {
                read(ask, answered, result);
            }
        });
        return result;
    }

    private void sendInto(CompletableFuture<Pulled> result, Ask ask, long suspendMs, long timeoutMs) {
        Completion.on(send(ask, suspendMs, timeoutMs), (pulled, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else {
                result.complete(pulled);
            }
        });
    }

    private PullMessageHeader header(Ask ask, long suspendMs, boolean toMaster) {
        boolean lite = style.kind() == PullStyle.Kind.LITE_PULL;
        boolean commit = style.kind() == PullStyle.Kind.PUSH_CLUSTERING && ask.commitOffset > 0 && toMaster;
        int flags = (commit ? PullSysFlag.COMMIT_OFFSET : 0)
                | (suspendMs > 0 ? PullSysFlag.SUSPEND : 0)
                | (lite ? PullSysFlag.SUBSCRIPTION | PullSysFlag.LITE_PULL : 0);
        return new PullMessageHeader(
                group,
                ask.queue.topic(),
                ask.queue.queueId(),
                ask.offset,
                ask.maxMessages,
                flags,
                commit ? ask.commitOffset : 0,
                suspendMs,
                lite ? ask.subscription.subString() : null,
                ask.subscription.subVersion(),
                ask.subscription.expressionType(),
                style.maxBytes(),
                0,
                null,
                ask.queue.brokerName());
    }

    private void read(Ask ask, Answered<PullMessageResponse> answered, CompletableFuture<Pulled> result) {
        Answer<PullMessageResponse> answer = answered.answer();
        try {
            List<MessageExt> messages = answer.isOk() ? matching(ask, answered) : List.of();
            @Nullable PullMessageResponse header = answer.header();
            result.complete(
                    header == null
                            ? new Pulled(
                                    answer.code(),
                                    answer.remarkText(),
                                    messages,
                                    ask.offset,
                                    0,
                                    0,
                                    BrokerData.MASTER_ID)
                            : new Pulled(
                                    answer.code(),
                                    answer.remarkText(),
                                    messages,
                                    header.nextBeginOffset(),
                                    header.minOffset(),
                                    header.maxOffset(),
                                    header.suggestWhichBrokerId()));
        } catch (ClientException e) {
            result.completeExceptionally(e);
        } catch (IllegalArgumentException e) {
            result.completeExceptionally(Failures.of(e, answered.site()));
        }
    }

    /** The broker compares only hashes of tags; the texts are compared here. */
    private List<MessageExt> matching(Ask ask, Answered<PullMessageResponse> answered) throws ClientException {
        List<MessageExt> messages = reader.read(answered.answer().body(), ask.queue.brokerName(), answered.site());
        Set<String> tags = ask.subscription.tagsSet();
        if (tags.isEmpty() || !ExpressionType.isTag(ask.subscription.expressionType())) {
            return messages;
        }
        return messages.stream()
                .filter(message -> {
                    String tag = message.tag();
                    return tag != null && tags.contains(tag);
                })
                .toList();
    }
}
