package dev.perigee.client.otel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.UnreachableException;
import dev.perigee.client.hook.SentMessage;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.listener.Outcome;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.MessageProperties;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.context.propagation.TextMapSetter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The spans of sends and of listener calls, and the context that joins them. */
@SuppressWarnings("MustBeClosedChecker") // preparedIn closes every scope
final class SpansTest {
    private static final Outcome DONE = new Outcome(ConsumeResult.SUCCESS, 1, 0, 0);
    private static final Outcome LATER = new Outcome(ConsumeResult.LATER, 0, 0, 0);

    private final List<SpanData> spans = new ArrayList<>();
    private final SdkTracerProvider tracers = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(new Keeping()))
            .build();
    private final OpenTelemetry telemetry = new OpenTelemetry() {
        @Override
        public TracerProvider getTracerProvider() {
            return tracers;
        }

        @Override
        public ContextPropagators getPropagators() {
            return ContextPropagators.create(TextMapPropagator.composite(
                    W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance()));
        }
    };
    private final SendSpans sends = new SendSpans(telemetry);
    private final CallSpans calls = new CallSpans(telemetry);

    private final class Keeping implements SpanExporter {
        @Override
        public CompletableResultCode export(Collection<SpanData> ended) {
            spans.addAll(ended);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    @AfterEach
    void close() {
        tracers.close();
    }

    private SpanData span(String name) {
        return spans.stream()
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private Message preparedIn(Scope scope, Message message) {
        try (scope) {
            return sends.prepare(message);
        }
    }

    private static Map<String, Object> attributes(SpanData span) {
        Map<String, Object> all = new TreeMap<>();
        span.getAttributes().forEach((key, value) -> all.put(key.getKey(), value));
        return all;
    }

    private static MessageExt stored(Message message) {
        InetSocketAddress host = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        return new MessageExt(message, "a", 3, 0, 0, 0, 0, 0, host, 0, host, 0, 0, 0);
    }

    @Test
    void aMessageCarriesTheContextOfItsCreationAndItsListenerContinuesTheTrace() {
        Span request = tracers.get("test").spanBuilder("request").startSpan();
        Message sent = preparedIn(
                request.makeCurrent(),
                Message.builder("orders").body("x").tag("blue").keys("k1", "k2").build());
        request.end();
        Object begun = calls.begun("billing", List.of(stored(sent)));
        SpanData inner = span("create orders");
        assertThat(Span.current().getSpanContext().getTraceId()).isEqualTo(inner.getTraceId());
        calls.ended(begun, ConsumeResult.SUCCESS, DONE, 5, null);
        assertThat(Span.current().getSpanContext().isValid()).isFalse();

        SpanData create = span("create orders");
        SpanData process = span("process orders");
        assertThat(create.getParentSpanId()).isEqualTo(request.getSpanContext().getSpanId());
        assertThat(create.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(process.getParentSpanId()).isEqualTo(create.getSpanId());
        assertThat(process.getLinks())
                .extracting(link -> link.getSpanContext().getSpanId())
                .containsExactly(create.getSpanId());
        assertThat(attributes(process))
                .containsEntry("messaging.system", "rocketmq")
                .containsEntry("messaging.operation.type", "process")
                .containsEntry("messaging.destination.name", "orders")
                .containsEntry("messaging.consumer.group.name", "billing")
                .containsEntry("messaging.destination.partition.id", "3")
                .containsEntry("messaging.rocketmq.message.tag", "blue")
                .containsEntry("messaging.rocketmq.message.keys", List.of("k1", "k2"));
        assertThat(process.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    }

    @Test
    void theSendIsASpanBelowTheCreationWithItsOwnTimesAndItsFailure() {
        Message sent = sends.prepare(Message.of("orders", "body"));
        UnreachableException failure =
                new UnreachableException("gone", new FailureSite("10.0.0.1:10911", "orders", 3, 0));
        sends.ended(new SentMessage(
                sent, "id", new MessageQueue("orders", "a", 2), "10.0.0.1:10911", 1_000, 250, null, failure));
        SpanData send = span("send orders");
        assertThat(send.getParentSpanId()).isEqualTo(span("create orders").getSpanId());
        assertThat(send.getKind()).isEqualTo(SpanKind.CLIENT);
        assertThat(send.getStartEpochNanos()).isEqualTo(1_000_000_000L);
        assertThat(send.getEndEpochNanos()).isEqualTo(1_250_000_000L);
        assertThat(send.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attributes(send))
                .containsEntry("messaging.message.id", "id")
                .containsEntry("messaging.message.body.size", 4L)
                .containsEntry("messaging.destination.partition.id", "2")
                .containsEntry("server.address", "10.0.0.1")
                .containsEntry("server.port", 10_911L)
                .containsEntry("error.type", UnreachableException.class.getName());
    }

    @Test
    void aCallWithSeveralMessagesIsLinkedToAllOfThem() {
        Message one = sends.prepare(Message.of("orders", "1"));
        Message two = sends.prepare(Message.of("orders", "2"));
        Message foreign = Message.of("orders", "without context");
        Object begun = calls.begun("g", List.of(stored(one), stored(two), stored(foreign)));
        calls.ended(begun, ConsumeResult.LATER, LATER, 1, null);
        SpanData process = span("process orders");
        assertThat(process.getParentSpanContext().isValid()).isFalse();
        assertThat(process.getLinks())
                .extracting(LinkData::getSpanContext)
                .extracting(SpanContext::getSpanId)
                .containsExactlyInAnyOrderElementsOf(spans.stream()
                        .filter(each -> each.getName().equals("create orders"))
                        .map(SpanData::getSpanId)
                        .toList());
        assertThat(attributes(process))
                .containsEntry("messaging.batch.message_count", 3L)
                .containsEntry("error.type", "later");
    }

    @Test
    void whatAListenerThrowsIsInItsSpan() {
        Object begun = calls.begun("g", List.of(stored(Message.of("orders", "x"))));
        calls.ended(begun, null, LATER, 1, new IllegalStateException("expected by the test"));
        SpanData process = span("process orders");
        assertThat(process.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(process.getEvents()).hasSize(1);
        assertThat(attributes(process)).containsEntry("error.type", IllegalStateException.class.getName());
    }

    @Test
    void baggageTravelsAndIsCurrentInTheListener() {
        Message sent =
                preparedIn(Baggage.builder().put("tenant", "t1").build().makeCurrent(), Message.of("orders", "x"));
        Object begun = calls.begun("g", List.of(stored(sent)));
        assertThat(Baggage.current().getEntryValue("tenant")).isEqualTo("t1");
        calls.ended(begun, ConsumeResult.SUCCESS, DONE, 1, null);
        assertThat(Baggage.current().isEmpty()).isTrue();
    }

    @Test
    void baggageThatHasNoRoomAmongThePropertiesStaysBehindAndTheTraceTravels() {
        String large = "v".repeat(MessageProperties.MAX_BYTES - ContextProperties.ROOM_OF_OTHERS_BYTES - 200);
        Message message =
                Message.builder("orders").body("x").property("large", large).build();
        Message sent = preparedIn(
                Baggage.builder().put("tenant", "b".repeat(200)).build().makeCurrent(), message);
        assertThat(sent.properties()).containsKeys("large", "traceparent").doesNotContainKey("baggage");
        int bytes = sent.properties().entrySet().stream()
                .mapToInt(each -> (each.getKey() + each.getValue()).getBytes(StandardCharsets.UTF_8).length + 2)
                .sum();
        assertThat(bytes).isLessThanOrEqualTo(MessageProperties.MAX_BYTES - ContextProperties.ROOM_OF_OTHERS_BYTES);
    }

    @Test
    void aMessageThatIsSentOnGetsTheContextOfItsNewCreation() {
        Message first = sends.prepare(Message.of("orders", "x"));
        Message second = sends.prepare(first.withTopic("billing"));
        assertThat(second.property("traceparent"))
                .contains(span("create billing").getSpanId());
    }

    @Test
    void nothingOfTheFormerContextStaysInAMessageThatIsSentOn() {
        Message first = Message.builder("orders")
                .body("x")
                .property("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .property("tracestate", "vendor=of the former trace")
                .property("baggage", "tenant=former")
                .property("mine", "stays")
                .build();
        Message second = sends.prepare(first);
        assertThat(second.properties()).containsOnlyKeys("traceparent", "mine");
        assertThat(second.property("traceparent"))
                .contains(span("create orders").getSpanId());
    }

    @Test
    void aPropagatorTakesAwayNothingThatIsReserved() {
        Message given = Message.builder("orders").body("x").keys("k").build();
        TextMapPropagator greedy = new TextMapPropagator() {
            @Override
            public Collection<String> fields() {
                return List.of("KEYS");
            }

            @Override
            public <C> void inject(Context context, @Nullable C carrier, TextMapSetter<C> setter) {
                setter.set(carrier, "KEYS", "of the propagator");
            }

            @Override
            public <C> Context extract(Context context, @Nullable C carrier, TextMapGetter<C> getter) {
                return context;
            }
        };
        assertThat(new ContextProperties(greedy).inject(Context.root(), given).keys())
                .containsExactly("k");
    }

    @Test
    void aCallThatLeftMessagesUnfinishedIsAnError() {
        Object begun = calls.begun("g", List.of(stored(Message.of("orders", "x"))));
        calls.ended(begun, ConsumeResult.SUCCESS, new Outcome(ConsumeResult.SUCCESS, 0, 0, 0), 1, null);
        SpanData process = span("process orders");
        assertThat(process.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attributes(process)).containsEntry("error.type", "later");
    }
}
