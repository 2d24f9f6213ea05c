package dev.perigee.client.recall;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.RecallMessageHeader;
import dev.perigee.protocol.header.send.RecallMessageResponse;
import dev.perigee.protocol.header.send.RecallOutcome;
import dev.perigee.protocol.message.RecallHandle;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicName;
import dev.perigee.remoting.call.Deadline;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Asks the broker that a handle names to take its message back (broker-client §5.4).
 *
 * @param instance who asks
 * @param group the producer group
 */
@Immutable
public record Recalls(ClientInstance instance, String group) {
    private static final int SHOWN_CHARS = 64;

    /** What became of it; fails with a client exception. Completed on an event loop. */
    public CompletableFuture<RecallOutcome> recall(String topic, String text, Deadline deadline) {
        RecallHandle handle;
        try {
            handle = checked(topic, text, deadline);
        } catch (InvalidMessageException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<RecallOutcome> outcome = new CompletableFuture<>();
        Completion.on(instance.routes().get(topic), (route, failure) -> {
            Optional<String> address = instance.routes().masterAddress(handle.brokerName());
            if (failure != null) {
                outcome.completeExceptionally(failure);
            } else if (address.isEmpty()) {
                outcome.completeExceptionally(new NoRouteException(
                        "no address known of broker " + handle.brokerName() + ", which the handle names",
                        FailureSite.untried(topic, deadline.remainingMs())));
            } else {
                ask(new Target(topic, text, handle, address.get()), deadline, outcome);
            }
        });
        return instance.within(deadline, outcome, "recall", () -> FailureSite.untried(topic, deadline.remainingMs()));
    }

    /** As {@link #recall}, waiting for it. Blocks. */
    public RecallOutcome await(String topic, String text, Deadline deadline) throws ClientException {
        return Failures.await(
                recall(topic, text, deadline), "recall", () -> FailureSite.untried(topic, deadline.remainingMs()));
    }

    private static RecallHandle checked(String topic, String text, Deadline deadline) throws InvalidMessageException {
        if (TopicName.isRetry(topic) || TopicName.isDlq(topic)) {
            throw invalid(
                    "topic", topic, "no retry or dead letter topic: their messages have no handle", topic, deadline);
        }
        RecallHandle handle = RecallHandle.parse(text);
        if (handle == null) {
            throw invalid("recallHandle", text, "the text a send gave as its recall handle", topic, deadline);
        }
        if (!handle.topic().equals(topic)) {
            throw invalid("topic", topic, "the topic of the handle: " + handle.topic(), topic, deadline);
        }
        return handle;
    }

    private static InvalidMessageException invalid(
            String field, String value, String limit, String topic, Deadline deadline) {
        String shown = value.length() <= SHOWN_CHARS ? value : value.substring(0, SHOWN_CHARS) + "…";
        return new InvalidMessageException(field, shown, limit, FailureSite.untried(topic, deadline.remainingMs()));
    }

    private record Target(String topic, String text, RecallHandle handle, String address) {}

    private void ask(Target target, Deadline deadline, CompletableFuture<RecallOutcome> outcome) {
        RecallMessageHeader header = new RecallMessageHeader(group, target.topic, target.text);
        Completion.on(
                instance.calls()
                        .ask(BrokerCalls.Question.of(target.address, Rpcs.RECALL_MESSAGE, header, target.topic)
                                .until(deadline)),
                (answered, failure) -> {
                    if (failure != null) {
                        outcome.completeExceptionally(failure);
                        return;
                    }
                    RecallOutcome read = read(answered, target.handle);
                    if (read == null) {
                        outcome.completeExceptionally(answered.refused(false));
                    } else {
                        outcome.complete(read);
                    }
                });
    }

    /** What a broker's answer means; null when it means none of the outcomes. A stock broker says nothing but the code. */
    private @Nullable RecallOutcome read(Answered<RecallMessageResponse> answered, RecallHandle handle) {
        @Nullable RecallMessageResponse header = answered.answer().header();
        String said = header == null ? null : header.outcome();
        return switch (answered.code()) {
            case ResponseCode.SUCCESS ->
                RecallOutcome.ALREADY_RECALLED.name().equals(said)
                        ? RecallOutcome.ALREADY_RECALLED
                        : RecallOutcome.RECALLED;
            case ResponseCode.QUERY_NOT_FOUND -> RecallOutcome.UNKNOWN;
            case ResponseCode.ILLEGAL_OPERATION -> isTooLate(said, handle) ? RecallOutcome.TOO_LATE : null;
            default -> null;
        };
    }

    /** A stock broker calls every handle illegal that is due. */
    private boolean isTooLate(@Nullable String said, RecallHandle handle) {
        return said == null ? handle.timeMs() <= instance.clock().wallMs() : said.equals(RecallOutcome.TOO_LATE.name());
    }
}
