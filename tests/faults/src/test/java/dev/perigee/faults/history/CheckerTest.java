package dev.perigee.faults.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The checker sees every kind of error that is put into a good history, and nothing in a good one. */
final class CheckerTest {
    private static final int MESSAGES = 20;
    private static final int SENDERS = 2;

    private final List<String> lines = good();

    /** Two senders, each with a queue of its own, whose messages are all acknowledged, received and stored. */
    private static List<String> good() {
        List<String> lines = new ArrayList<>();
        long us = 1_000;
        for (int number = 0; number < MESSAGES; number++) {
            for (int sender = 0; sender < SENDERS; sender++) {
                lines.add("send %d %d SEND_OK %d %d %d %d".formatted(sender, number, sender, number, us, us + 5));
                lines.add("receive %d %d %d-%d %d".formatted(sender, number, sender, number, us + 6));
                us += 10;
            }
            if (number % 5 == 4) {
                lines.add("commit 0 %d OK %d %d".formatted(number + 1, us, us + 1));
                lines.add("query 0 %d %d %d".formatted(number + 1, us + 2, us + 3));
            }
        }
        for (int sender = 0; sender < SENDERS; sender++) {
            for (int number = 0; number < MESSAGES; number++) {
                lines.add("stored %d %d %d-%d".formatted(sender, number, sender, number));
            }
        }
        return lines;
    }

    private Findings check() {
        return Checker.check(History.of(lines.stream()));
    }

    private void replace(String line, String by) {
        assertThat(Collections.replaceAll(lines, line, by)).as(line).isTrue();
    }

    private void remove(String line) {
        assertThat(lines.remove(line)).as(line).isTrue();
    }

    @Test
    void nothingIsFoundInAGoodHistory() {
        assertThat(check().violations()).isEmpty();
        assertThat(check().redelivered()).isZero();
        assertThat(check()).hasToString("no violation");
    }

    @Test
    void anAcknowledgedMessageThatIsNotThereIsLost() {
        remove("stored 1 7 1-7");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.LOST, 1L));
        assertThat(check().toString()).contains("1-7 acknowledged at 1/7");
    }

    @Test
    void aMessageOfUnknownOutcomeMayBeThereOrNot() {
        lines.add("send 0 20 UNKNOWN -1 -1 9000 9900");
        lines.add("send 0 21 FLUSH_SLAVE_TIMEOUT 0 20 9900 9950");
        lines.add("send 1 20 UNKNOWN -1 -1 9000 9900");
        lines.add("stored 1 20 1-20");
        assertThat(check().violations()).isEmpty();
    }

    @Test
    void aMessageThatLiesElsewhereThanItsSenderWasToldHasMoved() {
        replace("stored 0 19 0-19", "stored 0 21 0-19");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.MOVED, 1L));
    }

    @Test
    void anotherMessageAtAnAcknowledgedPlaceIsAMoveTooAndTheOneThatIsGoneIsLost() {
        lines.add("send 0 20 UNKNOWN -1 -1 9000 9900");
        replace("stored 0 19 0-19", "stored 0 19 0-20");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.LOST, 1L, Violation.OFFSET_REUSED, 1L));
        lines.add("stored 0 20 0-19");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.MOVED, 1L, Violation.OFFSET_REUSED, 1L));
    }

    @Test
    void anOffsetOfALostMessageThatAnotherOneGotWasReused() {
        remove("stored 0 19 0-19");
        lines.add("send 0 20 SEND_OK 0 19 9000 9005");
        lines.add("stored 0 19 0-20");
        lines.add("receive 0 19 0-20 9006");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.LOST, 1L, Violation.OFFSET_REUSED, 1L));
        assertThat(check().toString()).contains("0/19 was [0-19, 0-20]");
    }

    @Test
    void aMessageThatIsThereTwiceWasStoredTwice() {
        lines.add("stored 0 20 0-3");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.STORED_TWICE, 1L));
    }

    @Test
    void messagesOfOneSenderLieInTheOrderOfTheirAcknowledgements() {
        replace("send 0 4 SEND_OK 0 4 1080 1085", "send 0 4 SEND_OK 0 5 1080 1085");
        replace("send 0 5 SEND_OK 0 5 1100 1105", "send 0 5 SEND_OK 0 4 1100 1105");
        replace("stored 0 4 0-4", "stored 0 4 0-5");
        replace("stored 0 5 0-5", "stored 0 5 0-4");
        replace("receive 0 4 0-4 1086", "receive 0 5 0-4 1086");
        replace("receive 0 5 0-5 1106", "receive 0 4 0-5 1106");
        assertThat(check().violations())
                .isEqualTo(Map.of(Violation.STORED_OUT_OF_ORDER, 1L, Violation.RECEIVED_OUT_OF_ORDER, 1L));
    }

    @Test
    void aMessageOfUnknownOutcomeMayLieBehindALaterOne() {
        lines.add("send 0 20 UNKNOWN -1 -1 9000 9900");
        lines.add("send 0 21 SEND_OK 0 20 9900 9950");
        lines.add("stored 0 20 0-21");
        lines.add("stored 0 21 0-20");
        lines.add("receive 0 20 0-21 9960");
        lines.add("receive 0 21 0-20 9960");
        assertThat(check().violations()).isEmpty();
    }

    @Test
    void whatNobodySentIsAPhantomWhetherStoredOrReceived() {
        lines.add("stored 1 20 1-33");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.PHANTOM, 1L));
        lines.add("receive 1 21 1-34 9000");
        lines.add("receive 1 22 DAMAGED 9000");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.PHANTOM, 3L));
    }

    @Test
    void anAcknowledgedMessageTheGroupReadPastWasNotReceived() {
        remove("receive 1 7 1-7 " + (1_000 + 10 * (7 * SENDERS + 1) + 6));
        assertThat(check().violations()).isEqualTo(Map.of(Violation.NOT_RECEIVED, 1L));
    }

    @Test
    void whatTheGroupWasShownMustStay() {
        lines.add("send 1 20 UNKNOWN -1 -1 9000 9900");
        lines.add("receive 1 20 1-20 9001");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.RECEIVED_AND_GONE, 1L));
    }

    @Test
    void aMessageThatComesAgainIsCountedAndNoViolation() {
        lines.add("receive 0 3 0-3 9000");
        lines.add("receive 0 3 0-3 9001");
        assertThat(check().violations()).isEmpty();
        assertThat(check().redelivered()).isEqualTo(2);
    }

    @Test
    void aMessageThatComesLateForTheFirstTimeIsOutOfOrder() {
        String line = "receive 1 7 1-7 " + (1_000 + 10 * (7 * SENDERS + 1) + 6);
        remove(line);
        lines.add(line);
        assertThat(check().violations()).isEqualTo(Map.of(Violation.RECEIVED_OUT_OF_ORDER, 1L));
    }

    @Test
    void anOffsetThatWasToldMustNotGoBack() {
        lines.add("query 0 " + (MESSAGES - 1) + " 9000 9001");
        lines.add("query 0 -1 9002 9003");
        lines.add("query 1 3 9004 9005");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.OFFSET_WENT_BACK, 2L));
    }

    @Test
    void ofTwoQuestionsAtATimeEitherMayBeAnsweredFirst() {
        lines.add("query 0 30 9000 9010");
        lines.add("query 0 29 9005 9020");
        lines.add("end 0 40 9000 9010");
        lines.add("end 0 39 9010 9011");
        assertThat(check().violations()).isEmpty();
    }

    @Test
    void anEndThatWasToldMustNotGoBack() {
        lines.add("end 0 40 9000 9010");
        lines.add("end 1 3 9020 9030");
        lines.add("end 0 39 9020 9030");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.END_WENT_BACK, 1L));
    }

    @Test
    void aPlaceInTheLogIsOfOneMessage() {
        replace("send 0 4 SEND_OK 0 4 1080 1085", "send 0 4 SEND_OK 0 4 1080 1085 10.0.0.1:5 700");
        replace("send 0 5 SEND_OK 0 5 1100 1105", "send 0 5 SEND_OK 0 5 1100 1105 10.0.0.1:5 900");
        assertThat(check().violations()).isEmpty();
        replace("send 1 5 SEND_OK 1 5 1110 1115", "send 1 5 SEND_OK 1 5 1110 1115 10.0.0.2:5 700");
        assertThat(check().violations()).isEqualTo(Map.of(Violation.POSITION_REUSED, 1L));
    }

    @Test
    void oneMemberLeadsATermWhoeverSaysSo() {
        History history = History.of(lines.stream());
        history.add(new Operation.Led("n0", 1, "n0", 5));
        history.add(new Operation.Led("n1", 1, "n0", 6));
        history.add(new Operation.Led("n1", 2, "n1", 7));
        assertThat(Checker.check(history).violations()).isEmpty();
        history.add(new Operation.Led("n2", 1, "n2", 8));
        history.add(new Operation.Led("n2", 1, "n2", 9));
        assertThat(Checker.check(history).violations()).isEqualTo(Map.of(Violation.TWO_LEADERS, 1L));
    }

    @Test
    void aLineThatIsNoneIsNamed() {
        lines.add("send 0 twenty SEND_OK 0 5 1 2");
        assertThatThrownBy(this::check).hasMessageContaining("send 0 twenty");
    }
}
