package dev.perigee.client.otel;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.property.MessageProperties;
import dev.perigee.protocol.property.PropertyKey;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Carries a context in the user properties of a message, under the names the propagator gives: {@code traceparent}, {@code
 * tracestate} and {@code baggage} for those of the W3C. What has no room among the properties, or is reserved or no plain text, is
 * left out: a message never becomes one that cannot be sent.
 *
 * @param propagator what writes and reads the context
 */
@Immutable
record ContextProperties(TextMapPropagator propagator) {
    /** What client and broker add themselves: unique key, region, cluster and switches. */
    static final int ROOM_OF_OTHERS_BYTES = 1_024;

    private static final int SEPARATORS = 2;

    private static final TextMapGetter<Message> GETTER = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Message message) {
            return message.properties().keySet();
        }

        @Override
        public @Nullable String get(@Nullable Message message, String key) {
            return message == null ? null : message.property(key);
        }
    };

    /** The message with the context; what the propagator names first has room first. */
    Message inject(Context context, Message message) {
        Map<String, String> fields = new LinkedHashMap<>();
        propagator.inject(context, fields, (carrier, name, value) -> fields.put(name, value));
        Map<String, String> all = new LinkedHashMap<>(message.properties());
        forget(all.keySet(), propagator.fields()); // those of a message that is sent on are of another context
        forget(all.keySet(), fields.keySet());
        long room = (long) MessageProperties.MAX_BYTES - ROOM_OF_OTHERS_BYTES;
        for (Map.Entry<String, String> property : all.entrySet()) {
            room -= sizeBytes(property);
        }
        for (Map.Entry<String, String> field : fields.entrySet()) {
            boolean isUsable = MessageProperties.isPlain(field.getKey())
                    && MessageProperties.isPlain(field.getValue())
                    && !PropertyKey.isReserved(field.getKey());
            if (isUsable && sizeBytes(field) <= room) {
                all.put(field.getKey(), field.getValue());
                room -= sizeBytes(field);
            }
        }
        return new Message(message.topic(), message.body(), message.flag(), all);
    }

    /** Takes away what any context was carried in; what a propagator may not write it does not take away either. */
    private static void forget(Set<String> names, Collection<String> carriers) {
        for (String carrier : carriers) {
            if (!PropertyKey.isReserved(carrier)) {
                names.remove(carrier);
            }
        }
    }

    /** The context a message came with; the empty one when there is none. */
    Context extract(Message message) {
        return propagator.extract(Context.root(), message, GETTER);
    }

    private static long sizeBytes(Map.Entry<String, String> property) {
        return (long) property.getKey().getBytes(StandardCharsets.UTF_8).length
                + property.getValue().getBytes(StandardCharsets.UTF_8).length
                + SEPARATORS;
    }
}
