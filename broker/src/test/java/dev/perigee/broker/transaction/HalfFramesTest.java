package dev.perigee.broker.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.TransactionSettings;
import dev.perigee.broker.mark.ClockNote;
import dev.perigee.broker.timer.TimerClock;
import dev.perigee.broker.transaction.HalfTimes.FirstCheck;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.FrameCheck;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HalfFramesTest {
    private static final long NOW_MS = 1_760_000_000_000L;
    private static final long SHIFT_MS = -40;
    private static final TimerClock CLOCK = new TimerClock(new Standing(), SHIFT_MS, ClockNote.UNTOLD);
    private static final HalfTimes TIMES =
            new HalfTimes(new TransactionSettings(false, 6_000, 30_000, 15, 259_200_000), CLOCK);

    /** A clock that stands still, so that the one of what waits says {@link #NOW_MS}. */
    private static final class Standing implements Clock {
        @Override
        public long wallMs() {
            return NOW_MS - SHIFT_MS;
        }

        @Override
        public long monotonicNs() {
            return 0;
        }
    }

    private static FirstCheck firstCheck(long dueMs) {
        return new FirstCheck(dueMs, CLOCK.now());
    }

    private static MessageFrame frame(FrameDraft draft) {
        ByteBuffer bytes = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(bytes);
        return new MessageFrame().wrap(bytes, 0);
    }

    private static MessageFrame half() {
        PropertyEdit properties = new PropertyEdit()
                .put("TRAN_MSG", "true")
                .put("PGROUP", "g")
                .put("UNIQ_KEY", "key")
                .put("TAGS", "blue")
                .put("own", "value");
        FrameDraft draft = new FrameDraft()
                .topic("orders".getBytes(StandardCharsets.UTF_8))
                .queueId(3)
                .flag(7)
                .sysFlag(SysFlag.COMPRESSED)
                .bornTimestampMs(99)
                .body(ByteBuffer.wrap("body".getBytes(StandardCharsets.UTF_8)));
        int growth = HalfFrames.hide(draft, properties, new HalfWish("orders", 3, "key", firstCheck(NOW_MS + 6_000)));
        assertThat(growth).isEqualTo(HalfFrames.GROWTH_BYTES);
        return frame(draft);
    }

    private static final Half LATE = new Half(
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            300,
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            Integer.MAX_VALUE,
            Long.MAX_VALUE,
            Long.MAX_VALUE);

    @Test
    void aHalfLiesHiddenWithAllThatItsCommitNeeds() {
        MessageFrame half = half();
        assertThat(half.topic()).isEqualTo("RMQ_SYS_TRANS_HALF_TOPIC");
        assertThat(half.queueId()).isZero();
        assertThat(half.sysFlag()).isEqualTo(SysFlag.COMPRESSED);
        assertThat(half.property("__transactionId__")).isEqualTo("key");
        assertThat(half.property("REAL_TOPIC")).isEqualTo("orders");
        assertThat(half.property("REAL_QID")).isEqualTo("3");
        assertThat(half.property("PGROUP")).isEqualTo("g");
        assertThat(half.property("__HALF#")).isEqualTo((NOW_MS + 6_000) + ",s" + SHIFT_MS + ",t" + NOW_MS);
    }

    @Test
    void theCommittedMessageIsTheUsersAndNamesItsHalf() {
        Half half = new Half(1_000, 2_000, 300, 5, NOW_MS, 2, NOW_MS, 0);
        MessageFrame frame = half();
        HalfFrames.Home home = HalfFrames.home(frame);
        MessageFrame committed =
                frame(HalfFrames.committed(frame, half, home, HalfFrames.committedProperties(frame, half)));
        assertThat(committed.topic()).isEqualTo("orders");
        assertThat(committed.queueId()).isEqualTo(3);
        assertThat(committed.flag()).isEqualTo(7);
        assertThat(committed.bornTimestampMs()).isEqualTo(99);
        assertThat(committed.sysFlag()).isEqualTo(SysFlag.COMPRESSED | SysFlag.TRANSACTION_COMMIT);
        assertThat(committed.preparedTransactionOffset()).isEqualTo(1_000);
        assertThat(committed.properties())
                .containsEntry("own", "value")
                .containsEntry("TAGS", "blue")
                .containsEntry("UNIQ_KEY", "key")
                .containsEntry("__transactionId__", "key")
                .containsEntry("__HALF#", NOW_MS + ":1000:2000:c")
                .containsEntry("TRAN_MSG", "true")
                .containsEntry("TRANSACTION_CHECK_TIMES", "2")
                .doesNotContainKeys("REAL_TOPIC", "REAL_QID");
        assertThat(text(committed.body())).isEqualTo("body");
    }

    @Test
    void aProducerIsShownARecordItCanReadWithTheOffsetsOfTheBirth() throws Exception {
        Half half = new Half(1_000, 2_000, 300, 5, NOW_MS, 2, NOW_MS, 0);
        byte[] shown = HalfFrames.shown(half(), half, 3);
        assertThat(FrameCheck.of(ByteBuffer.wrap(shown), 0, shown.length, true).isSound())
                .isTrue();
        List<MessageExt> decoded = MessageDecoder.decodeAll(ByteBuffer.wrap(shown), "broker-a");
        assertThat(decoded).singleElement().satisfies(message -> {
            assertThat(message.topic()).isEqualTo("orders");
            assertThat(message.queueId()).isEqualTo(3);
            assertThat(message.queueOffset()).isEqualTo(5);
            assertThat(message.physicalOffset()).isEqualTo(1_000);
            assertThat(message.property("PGROUP")).isEqualTo("g");
            assertThat(message.property("UNIQ_KEY")).isEqualTo("key");
            assertThat(message.property("TRANSACTION_CHECK_TIMES")).isEqualTo("3");
            assertThat(message.property("__HALF#")).isNull();
        });
        assertThat(new String(shown, StandardCharsets.UTF_8)).doesNotContain("__STAMP#");
    }

    @Test
    void noFrameMadeOfAHalfHasLongerPropertiesThanWasKeptFree() {
        MessageFrame half = half();
        int most = half.propertiesLength() + HalfFrames.GROWTH_BYTES;
        String longest = "x".repeat(HalfFrames.MAX_REASON_BYTES);
        assertThat(frame(HalfFrames.copy(half, LATE, new ClockNote(Long.MIN_VALUE, Long.MAX_VALUE)))
                        .propertiesLength())
                .isLessThanOrEqualTo(most);
        assertThat(frame(HalfFrames.setAside(half, LATE, longest)).propertiesLength())
                .isLessThanOrEqualTo(most);
        assertThat(frame(HalfFrames.committed(
                                half, LATE, HalfFrames.home(half), HalfFrames.committedProperties(half, LATE)))
                        .propertiesLength())
                .isLessThanOrEqualTo(most);
    }

    @Test
    void whatWasSetAsideBecomesAHalfAgainThatNobodyWasAskedFor() {
        Half half = new Half(1_000, 2_000, 300, 5, NOW_MS, 15, NOW_MS, 0);
        MessageFrame aside = frame(HalfFrames.setAside(half(), half, "nobody knows"));
        assertThat(aside.topic()).isEqualTo("TRANS_CHECK_MAX_TIME_TOPIC");
        assertThat(aside.properties())
                .containsEntry("HALF_REASON", "nobody knows")
                .containsEntry("TRANSACTION_CHECK_TIMES", "15")
                .containsEntry("REAL_TOPIC", "orders")
                .containsEntry("PGROUP", "g")
                .containsEntry("__HALF#", NOW_MS + ":1000:2000:s");
        MessageFrame again = frame(HalfFrames.resumed(aside, firstCheck(77)));
        assertThat(again.topic()).isEqualTo("RMQ_SYS_TRANS_HALF_TOPIC");
        assertThat(again.properties())
                .containsEntry("__HALF#", "77,s" + SHIFT_MS + ",t" + NOW_MS)
                .containsEntry("TRAN_MSG", "true")
                .doesNotContainKeys("HALF_REASON", "TRANSACTION_CHECK_TIMES");
    }

    @ParameterizedTest
    @CsvSource({
        "CHECK_IMMUNITY_TIME_IN_SECONDS, soon, 0 to 2592000",
        "CHECK_IMMUNITY_TIME_IN_SECONDS, -1, 0 to 2592000",
        "CHECK_IMMUNITY_TIME_IN_SECONDS, 2592001, 0 to 2592000",
        "CHECK_IMMUNITY_TIME_IN_SECONDS, 99999999999, 0 to 2592000",
        "CHECK_INTERVAL_IN_SECONDS, 0, 1 to 2592000",
        "CHECK_MAX_TIMES, 1001, 1 to 1000",
        "CHECK_MAX_TIMES, 1.5, 1 to 1000"
    })
    void aTimeThatIsNoneIsRefusedWithItsNameItsValueAndTheLimit(String name, String value, String limit) {
        assertThat(HalfTimes.refuse(PropertyText.of(Map.of(name, value))))
                .isNotNull()
                .satisfies(refusal -> {
                    assertThat(refusal.code()).isEqualTo(13);
                    assertThat(refusal.remark()).contains(name + "=" + value, limit);
                });
    }

    @Test
    void aMessageThatSaysNothingGetsTheBrokersTimes() {
        assertThat(HalfTimes.refuse(PropertyText.of(Map.of("CHECK_IMMUNITY_TIME_IN_SECONDS", "60"))))
                .isNull();
        assertThat(HalfTimes.refuse(PropertyText.EMPTY)).isNull();
        assertThat(TIMES.firstCheck(null).dueMs()).isEqualTo(NOW_MS + 6_000);
        assertThat(TIMES.firstCheck("60").dueMs()).isEqualTo(NOW_MS + 60_000);
        assertThat(TIMES.intervalMs(null)).isEqualTo(30_000);
        assertThat(TIMES.intervalMs("5")).isEqualTo(5_000);
        assertThat(TIMES.maxChecks(null)).isEqualTo(15);
        assertThat(TIMES.maxChecks("2")).isEqualTo(2);
    }

    private static String text(ByteBuffer body) {
        byte[] bytes = new byte[body.remaining()];
        body.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
