package dev.perigee.broker.timer;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import org.jspecify.annotations.Nullable;

/**
 * What a message says of when it wants to be delivered, as it stands in its properties (broker-client §5.2, §5.3).
 *
 * @param level the delay level
 * @param delaySec seconds from now
 * @param delayMs milliseconds from now
 * @param deliverMs wall time in milliseconds
 * @param fired whether it has waited by one of the last three already, as a delivered message that is sent again says:
 *     those count no more
 */
@Immutable
public record Wish(
        @Nullable String level,
        @Nullable String delaySec,
        @Nullable String delayMs,
        @Nullable String deliverMs,
        boolean fired) {
    /** Of a message that says nothing. */
    public static final Wish NONE = new Wish(null, null, null, null, false);

    /** What a stored message says. */
    public static Wish of(MessageFrame frame) {
        return new Wish(
                frame.property(PropertyKey.DELAY_LEVEL),
                frame.property(PropertyKey.TIMER_DELAY_SEC),
                frame.property(PropertyKey.TIMER_DELAY_MS),
                frame.property(PropertyKey.TIMER_DELIVER_MS),
                frame.property(PropertyKey.TIMER_OUT_MS) != null);
    }

    /** What a message with these properties says. */
    public static Wish of(PropertyText properties) {
        return new Wish(
                properties.get(PropertyKey.DELAY_LEVEL),
                properties.get(PropertyKey.TIMER_DELAY_SEC),
                properties.get(PropertyKey.TIMER_DELAY_MS),
                properties.get(PropertyKey.TIMER_DELIVER_MS),
                properties.has(PropertyKey.TIMER_OUT_MS));
    }

    /** Whether it names a delay level, from 1 on. */
    public boolean hasLevel() {
        return level != null && DueTimes.level(level) > 0;
    }

    /** The property that counts with its value, where the message asks to wait, well or badly; null where it does not. */
    public @Nullable String asked() {
        if (level != null && DueTimes.level(level) != 0) {
            return PropertyKey.DELAY_LEVEL + "=" + level;
        }
        if (fired) {
            return null;
        }
        if (delaySec != null) {
            return PropertyKey.TIMER_DELAY_SEC + "=" + delaySec;
        }
        if (delayMs != null) {
            return PropertyKey.TIMER_DELAY_MS + "=" + delayMs;
        }
        return deliverMs == null ? null : PropertyKey.TIMER_DELIVER_MS + "=" + deliverMs;
    }
}
