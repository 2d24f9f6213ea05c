package dev.perigee.protocol.message;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.property.MessageProperties;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a user sends: a topic, a body and properties. The body array is not copied and must not be changed.
 *
 * <p>Properties that came in their stored form are decoded when somebody asks for them: most listeners never do. Threads that
 * ask at the same time may decode them twice, with the same result.
 */
@Immutable
public final class Message {
    private static final String KEY_SEPARATOR = " ";

    private final String topic;
    private final byte[] body;
    private final int flag;
    /** As they were stored; only looked at while they are not decoded. */
    private final PropertyText stored;

    private volatile @Nullable Map<String, String> decoded;

    /** Takes all properties as they are, reserved ones too; users build messages with {@link #builder}. */
    public Message(String topic, byte[] body, int flag, Map<String, String> properties) {
        this.topic = topic;
        this.body = body;
        this.flag = flag;
        this.stored = PropertyText.EMPTY;
        this.decoded = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    /** A stored message; the stamp is not among its properties. */
    Message(String topic, byte[] body, int flag, PropertyText stored) {
        this(topic, body, flag, stored, null);
    }

    private Message(String topic, byte[] body, int flag, PropertyText stored, @Nullable Map<String, String> decoded) {
        this.topic = topic;
        this.body = body;
        this.flag = flag;
        this.stored = stored;
        this.decoded = decoded;
    }

    /** A message without properties. Neither topic nor size is checked here; the producer does. */
    public static Message of(String topic, byte[] body) {
        return new Message(topic, body, 0, Map.of());
    }

    /** A message without properties whose body is this text in UTF-8. */
    public static Message of(String topic, String body) {
        return of(topic, body.getBytes(StandardCharsets.UTF_8));
    }

    /** Begins a message with properties; its body is empty until it is set. */
    public static Builder builder(String topic) {
        return new Builder(topic);
    }

    /** The topic it is for. */
    public String topic() {
        return topic;
    }

    /** The body. The array itself; it must not be changed. */
    public byte[] body() {
        return body;
    }

    /** The body as UTF-8 text. */
    public String bodyText() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** The user's own number. */
    public int flag() {
        return flag;
    }

    /** All properties, reserved ones too. */
    public Map<String, String> properties() {
        Map<String, String> known = decoded;
        if (known == null) {
            Map<String, String> all = stored.toMap();
            all.remove(PropertyKey.STAMP);
            known = Collections.unmodifiableMap(all);
            decoded = known;
        }
        return known;
    }

    /** The value of a property of ours, whose name is ASCII and not the stamp's; does not decode the others. */
    private @Nullable String own(String name) {
        Map<String, String> known = decoded;
        return known != null ? known.get(name) : stored.get(name);
    }

    /** The value of a property, reserved or not, or null. */
    public @Nullable String property(String name) {
        return properties().get(name);
    }

    /** The tag, by which consumers may choose messages, or null. */
    public @Nullable String tag() {
        return own(PropertyKey.TAGS);
    }

    /** The index keys. */
    public List<String> keys() {
        String keys = own(PropertyKey.KEYS);
        return keys == null || keys.isBlank() ? List.of() : List.of(keys.strip().split(" +"));
    }

    /** The unique id made by the client, or null. */
    public @Nullable String uniqueId() {
        return own(PropertyKey.UNIQ_KEY);
    }

    /** Whether the answer to the send waits for the flush; true unless said otherwise. */
    public boolean waitForStore() {
        String wait = own(PropertyKey.WAIT_STORE);
        return wait == null || Boolean.parseBoolean(wait);
    }

    /** The delay level, 0 for none. */
    public int delayLevel() {
        String level = own(PropertyKey.DELAY_LEVEL);
        try {
            return level == null ? 0 : Integer.parseInt(level);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** This message with one more property, reserved or not. */
    public Message withProperty(String name, String value) {
        Map<String, String> changed = new LinkedHashMap<>(properties());
        changed.put(name, value);
        return new Message(topic, body, flag, changed);
    }

    /** This message without a property; this one itself where it has none of that name. */
    public Message withoutProperty(String name) {
        if (property(name) == null) {
            return this;
        }
        Map<String, String> changed = new LinkedHashMap<>(properties());
        changed.remove(name);
        return new Message(topic, body, flag, changed);
    }

    /** This message with another topic. */
    public Message withTopic(String newTopic) {
        return new Message(newTopic, body, flag, stored, decoded);
    }

    /** This message with another body. */
    public Message withBody(byte[] newBody) {
        return new Message(topic, newBody, flag, stored, decoded);
    }

    @Override
    public String toString() {
        return "Message[topic=" + topic + ", bodyBytes=" + body.length + ", flag=" + flag + ", properties="
                + properties()
                + "]";
    }

    /** Builds a message; not thread-safe. */
    public static final class Builder {
        /** The longest {@link #firstCheckAfterSec}: 30 days. */
        public static final int MAX_FIRST_CHECK_AFTER_SEC = 2_592_000;

        private final String topic;
        private final Map<String, String> properties = new LinkedHashMap<>();
        private byte[] body = new byte[0];
        private int flag;

        private Builder(String topic) {
            this.topic = topic;
        }

        /** Sets the body. The array is not copied and must not be changed any more. */
        public Builder body(byte[] bytes) {
            this.body = bytes;
            return this;
        }

        /** Sets the body to this text in UTF-8. */
        public Builder body(String text) {
            return body(text.getBytes(StandardCharsets.UTF_8));
        }

        /** Sets the user's own number; 0 unless it is set. */
        public Builder flag(int newFlag) {
            this.flag = newFlag;
            return this;
        }

        /**
         * Sets the tag, by which consumers may choose messages.
         *
         * @throws IllegalArgumentException when it is empty or contains the characters 1 or 2
         */
        public Builder tag(String tag) {
            return put(PropertyKey.TAGS, tag);
        }

        /** Sets the index keys. */
        public Builder keys(String... keys) {
            return put(PropertyKey.KEYS, String.join(KEY_SEPARATOR, keys));
        }

        /** Whether the answer to the send waits for the flush. */
        public Builder waitForStore(boolean wait) {
            return put(PropertyKey.WAIT_STORE, Boolean.toString(wait));
        }

        /** Sets the delay by its number in the table of the broker, from 1; one above the last is the last, 0 is no delay. */
        public Builder delayLevel(int level) {
            return put(PropertyKey.DELAY_LEVEL, Integer.toString(level));
        }

        /**
         * Has the message delivered so long after the broker took it, in milliseconds; 0 is at once. Brokers have a limit, 30 days
         * unless they are told otherwise; stock ones 3 days, and they need 5.x.
         *
         * @throws IllegalArgumentException when it is negative
         */
        public Builder delayMs(long delayMs) {
            requireNotNegative("delayMs", delayMs);
            return put(PropertyKey.TIMER_DELAY_MS, Long.toString(delayMs));
        }

        /**
         * Has the message delivered at this wall time, in milliseconds since 1970, by the broker's clock; at once when that is past.
         * The limit is that of {@link #delayMs}.
         *
         * @throws IllegalArgumentException when it is negative
         */
        public Builder deliverAtMs(long wallMs) {
            requireNotNegative("deliverAtMs", wallMs);
            return put(PropertyKey.TIMER_DELIVER_MS, Long.toString(wallMs));
        }

        /**
         * Sets the priority: the message goes to the queue of that number, the last one when there are fewer. A broker does so with
         * messages that are neither delayed, nor in a transaction, nor have an order key.
         *
         * @throws IllegalArgumentException when it is negative
         */
        public Builder priority(int priority) {
            requireNotNegative("priority", priority);
            return put(PropertyKey.PRIORITY, Integer.toString(priority));
        }

        /**
         * Sets after how many seconds the broker first asks about the transaction of this message. A decision that comes later than
         * that, and does not answer such a question, is refused; so 0, with which stock brokers refuse every decision, is none.
         *
         * @param seconds 1 to {@value #MAX_FIRST_CHECK_AFTER_SEC}, 30 days
         * @throws IllegalArgumentException when it is outside of that
         */
        public Builder firstCheckAfterSec(int seconds) {
            if (seconds < 1 || seconds > MAX_FIRST_CHECK_AFTER_SEC) {
                throw new IllegalArgumentException(
                        "firstCheckAfterSec=" + seconds + ", must be 1 to " + MAX_FIRST_CHECK_AFTER_SEC);
            }
            return put(PropertyKey.CHECK_IMMUNITY_TIME, Integer.toString(seconds));
        }

        /** Messages with the same order key can be sent to the same queue, see the producer's ordered sends. */
        public Builder orderKey(String key) {
            return put(PropertyKey.SHARDING_KEY, key);
        }

        /**
         * Sets a property of the user.
         *
         * @throws IllegalArgumentException when the name is reserved
         */
        public Builder property(String name, String value) {
            if (PropertyKey.isReserved(name)) {
                throw new IllegalArgumentException("property name '" + name + "' is reserved");
            }
            return put(name, value);
        }

        private static void requireNotNegative(String name, long value) {
            if (value < 0) {
                throw new IllegalArgumentException(name + "=" + value + ", must be 0 or more");
            }
        }

        private Builder put(String name, String value) {
            if (!MessageProperties.isPlain(name) || !MessageProperties.isPlain(value)) {
                throw new IllegalArgumentException("property '" + name + "'='" + value
                        + "': name and value must not be empty nor contain the characters 1 and 2");
            }
            properties.put(name, value);
            return this;
        }

        /**
         * The message as it is set now; the builder may go on to another one.
         *
         * @throws IllegalArgumentException when it has two of delay level, delay and delivery time, naming them
         */
        public Message build() {
            Message built = new Message(topic, body, flag, properties);
            requireOneDelay(built);
            return built;
        }

        /** Brokers would choose one of them by rules of their own. */
        private static void requireOneDelay(Message built) {
            int level = Math.max(0, built.delayLevel());
            String delayMs = built.property(PropertyKey.TIMER_DELAY_MS);
            String deliverAtMs = built.property(PropertyKey.TIMER_DELIVER_MS);
            int given = (level > 0 ? 1 : 0) + (delayMs != null ? 1 : 0) + (deliverAtMs != null ? 1 : 0);
            if (given > 1) {
                throw new IllegalArgumentException("a message has one delay at most, not delayLevel=" + level
                        + " delayMs=" + delayMs + " deliverAtMs=" + deliverAtMs + " together");
            }
        }
    }
}
