package dev.perigee.protocol.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.property.PropertyKey;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a message is made of, and what is refused when it is made. */
final class MessageBuilderTest {
    private static Message.Builder builder() {
        return Message.builder("T").body("m");
    }

    static Stream<Arguments> settings() {
        return Stream.of(
                setting(b -> b.delayLevel(3), PropertyKey.DELAY_LEVEL, "3"),
                setting(b -> b.delayMs(1_500), PropertyKey.TIMER_DELAY_MS, "1500"),
                setting(b -> b.delayMs(0), PropertyKey.TIMER_DELAY_MS, "0"),
                setting(b -> b.deliverAtMs(Long.MAX_VALUE), PropertyKey.TIMER_DELIVER_MS, "9223372036854775807"),
                setting(b -> b.priority(0), PropertyKey.PRIORITY, "0"),
                setting(b -> b.priority(7), PropertyKey.PRIORITY, "7"),
                setting(b -> b.firstCheckAfterSec(60), PropertyKey.CHECK_IMMUNITY_TIME, "60"),
                setting(b -> b.orderKey("k"), PropertyKey.SHARDING_KEY, "k"));
    }

    private static Arguments setting(UnaryOperator<Message.Builder> set, String property, String value) {
        return Arguments.of(property, value, set);
    }

    @ParameterizedTest(name = "{0}={1}")
    @MethodSource("settings")
    void everySettingIsOneProperty(String property, String value, UnaryOperator<Message.Builder> set) {
        assertThat(set.apply(builder()).build().properties()).isEqualTo(Map.of(property, value));
    }

    static Stream<Arguments> pairs() {
        return Stream.of(
                pair(b -> b.delayLevel(3).delayMs(1_500), "delayLevel=3 delayMs=1500 deliverAtMs=null"),
                pair(b -> b.deliverAtMs(99).delayLevel(3), "delayLevel=3 delayMs=null deliverAtMs=99"),
                pair(b -> b.delayMs(1_500).deliverAtMs(99), "delayLevel=0 delayMs=1500 deliverAtMs=99"),
                pair(b -> b.delayMs(1).deliverAtMs(2).delayLevel(3), "delayLevel=3 delayMs=1 deliverAtMs=2"));
    }

    private static Arguments pair(UnaryOperator<Message.Builder> set, String named) {
        return Arguments.of(named, set);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pairs")
    void twoDelaysAreRefusedByName(String named, UnaryOperator<Message.Builder> set) {
        Message.Builder both = set.apply(builder());
        assertThatThrownBy(both::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named);
    }

    @Test
    void aLevelOfZeroIsNoDelay() {
        Message message = builder().delayLevel(0).delayMs(5).build();
        assertThat(message.delayLevel()).isZero();
        assertThat(message.property(PropertyKey.TIMER_DELAY_MS)).isEqualTo("5");
    }

    static Stream<Arguments> outOfRange() {
        return Stream.of(
                pair(b -> b.delayMs(-1), "delayMs=-1"),
                pair(b -> b.deliverAtMs(Long.MIN_VALUE), "deliverAtMs=-9223372036854775808"),
                pair(b -> b.priority(-3), "priority=-3"),
                pair(b -> b.firstCheckAfterSec(-1), "firstCheckAfterSec=-1, must be 1 to 2592000"),
                pair(b -> b.firstCheckAfterSec(0), "firstCheckAfterSec=0"),
                pair(b -> b.firstCheckAfterSec(2_592_001), "firstCheckAfterSec=2592001"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("outOfRange")
    void aValueOutOfRangeIsRefusedWhereItIsSet(String named, UnaryOperator<Message.Builder> set) {
        Message.Builder builder = builder();
        assertThatThrownBy(() -> set.apply(builder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named)
                .hasMessageContaining(", must be ");
        assertThat(builder.build().properties()).isEmpty();
    }

    @Test
    void whatBrokersReserveIsNoPropertyOfUsers() {
        for (String name : new String[] {
            PropertyKey.TIMER_DELAY_MS,
            PropertyKey.TIMER_DELIVER_MS,
            PropertyKey.TIMER_DELAY_SEC,
            PropertyKey.PRIORITY,
            PropertyKey.TRANSACTION_PREPARED,
            PropertyKey.CORRELATION_ID,
            PropertyKey.REPLY_TO_CLIENT,
            PropertyKey.MESSAGE_TYPE
        }) {
            assertThatThrownBy(() -> builder().property(name, "1"))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + name + "' is reserved");
        }
    }
}
