package dev.perigee.client.otel;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.hook.SendObserver;
import dev.perigee.client.hook.SentMessage;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.concurrent.TimeUnit;

/**
 * A span for each message that is made, whose context travels with it, and below it one for its send.
 *
 * <p>The first, {@code create}, begins and ends on the sending thread, as a child of what is current there. The second, {@code
 * send}, is made when the send is over, from the context the message carries: nothing has to be remembered about messages under way,
 * nor about those whose end is never told.
 */
@ThreadSafe
public final class SendSpans implements SendObserver {
    private final Tracer tracer;
    private final ContextProperties properties;

    /** Spans by this telemetry; its propagators say what travels. */
    public SendSpans(OpenTelemetry telemetry) {
        this.tracer = telemetry.getTracer(CallSpans.SCOPE);
        this.properties = new ContextProperties(telemetry.getPropagators().getTextMapPropagator());
    }

    @Override
    public Message prepare(Message message) {
        AttributesBuilder attributes = MessagingAttributes.operation("create", "create", message.topic());
        Span create = tracer.spanBuilder("create " + message.topic())
                .setSpanKind(SpanKind.PRODUCER)
                .setAllAttributes(
                        MessagingAttributes.describe(attributes, message).build())
                .startSpan();
        try {
            return properties.inject(Context.current().with(create), message);
        } finally {
            create.end();
        }
    }

    @Override
    public void ended(SentMessage what) {
        Message message = what.message();
        AttributesBuilder attributes = MessagingAttributes.operation("send", "send", message.topic());
        MessagingAttributes.describe(attributes, message).put(MessagingAttributes.MESSAGE_ID, what.messageId());
        MessagingAttributes.server(attributes, what.brokerAddress());
        if (what.queue() != null) {
            attributes.put(
                    MessagingAttributes.PARTITION, Integer.toString(what.queue().queueId()));
        }
        SpanBuilder builder = tracer.spanBuilder("send " + message.topic())
                .setSpanKind(SpanKind.CLIENT)
                .setParent(properties.extract(message))
                .setStartTimestamp(what.startedMs(), TimeUnit.MILLISECONDS);
        Span send = builder.setAllAttributes(attributes.build()).startSpan();
        end(send, what);
    }

    private static void end(Span send, SentMessage what) {
        ClientException failure = what.failure();
        SendResult result = what.result();
        if (failure != null) {
            send.setAttribute(MessagingAttributes.ERROR_TYPE, failure.getClass().getName());
            send.setStatus(StatusCode.ERROR, String.valueOf(failure.getMessage()));
        } else if (result != null && result.status() != SendStatus.SEND_OK) {
            send.setAttribute(MessagingAttributes.ERROR_TYPE, result.status().name());
            send.setStatus(StatusCode.ERROR);
        }
        send.end(what.startedMs() + what.costMs(), TimeUnit.MILLISECONDS);
    }
}
