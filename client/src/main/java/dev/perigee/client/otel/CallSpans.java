package dev.perigee.client.otel;

import dev.perigee.client.listener.ConsumeObserver;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.listener.Outcome;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageExt;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A span {@code process} for each call of a listener, current while it runs, and linked to what each of its messages came from. The
 * call of one message alone continues that message's trace, with its baggage; a call with several begins a trace of its own.
 */
@ThreadSafe
public final class CallSpans implements ConsumeObserver {
    static final String SCOPE = "dev.perigee.client";

    private final Tracer tracer;
    private final ContextProperties properties;

    /** Spans by this telemetry; its propagators say how context is read. */
    public CallSpans(OpenTelemetry telemetry) {
        this.tracer = telemetry.getTracer(SCOPE);
        this.properties = new ContextProperties(telemetry.getPropagators().getTextMapPropagator());
    }

    /** A call under way. */
    @Immutable
    private record Call(Span span, Scope scope, int messages) {}

    @Override
    @SuppressWarnings("MustBeClosedChecker") // the end of the call closes it, on the same thread
    public Object begun(String group, List<MessageExt> messages) {
        MessageExt first = messages.get(0);
        AttributesBuilder attributes = MessagingAttributes.operation("process", "process", first.topic());
        attributes.put(MessagingAttributes.CONSUMER_GROUP, group);
        attributes.put(MessagingAttributes.PARTITION, Integer.toString(first.queueId()));
        Context parent = Context.root();
        if (messages.size() == 1) {
            MessagingAttributes.describe(attributes, first.message())
                    .put(MessagingAttributes.MESSAGE_ID, first.messageId());
            parent = properties.extract(first.message());
        } else {
            attributes.put(MessagingAttributes.BATCH_COUNT, (long) messages.size());
        }
        SpanBuilder builder = tracer.spanBuilder("process " + first.topic())
                .setSpanKind(SpanKind.CONSUMER)
                .setParent(parent)
                .setAllAttributes(attributes.build());
        for (MessageExt message : messages) {
            SpanContext creation =
                    Span.fromContext(properties.extract(message.message())).getSpanContext();
            if (creation.isValid()) {
                builder.addLink(creation);
            }
        }
        Span span = builder.startSpan();
        return new Call(span, parent.with(span).makeCurrent(), messages.size());
    }

    @Override
    public void ended(
            Object begun, @Nullable ConsumeResult result, Outcome outcome, long costMs, @Nullable Throwable failure) {
        Call call = (Call) begun;
        call.scope.close();
        if (failure != null) {
            call.span.recordException(failure);
            call.span.setAttribute(
                    MessagingAttributes.ERROR_TYPE, failure.getClass().getName());
            call.span.setStatus(StatusCode.ERROR);
        } else if (!outcome.isSuccess() || outcome.finished() < call.messages) {
            call.span.setAttribute(MessagingAttributes.ERROR_TYPE, result == null ? "nothing_returned" : "later");
            call.span.setStatus(StatusCode.ERROR);
        }
        call.span.end();
    }
}
