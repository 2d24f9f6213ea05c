package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.append.SwitchedReplication.Role;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.receive.ReceiveRefusedException.Reason;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Of which session something is counts when it is written, not when it came. */
final class SessionsTest {
    @Test
    void bytesThatWaitedWhileTheirSessionEndedAreRefused() throws IOException {
        Pair pair = new Pair(1);
        pair.write(5);
        pair.carryAll();
        long end = pair.replicaEnd();
        pair.write(5);
        pair.stream.session(7);
        pair.stream.offer(pair.replica, pair.stream.piece(end, pair.writerEnd(), 2), pair.writerEnd());

        pair.replication.session(8);
        pair.replica.settle();

        assertThat(pair.replicaEnd()).isEqualTo(end);
        ReceiveRefusedException refusal = pair.stream.refusals().get(0);
        assertThat(refusal.reason()).isEqualTo(Reason.NOT_RECEIVING);
        assertThat(refusal.getMessage()).contains("session 7");
        pair.stream.session(8);
        pair.carryAll();
        assertThat(pair.difference()).isEmpty();
    }

    @Test
    void aCutThatWaitedWhileItsSessionEndedIsRefused() throws IOException {
        Pair pair = new Pair(2);
        pair.confirmedAtStart(0);
        pair.replica.closeClean();
        pair.replica.reopen();
        pair.write(10);
        long fork = pair.stream.piece(0, pair.writerEnd(), 3).endOffset();
        pair.carryAll();
        pair.stream.session(7);
        pair.stream.order(pair.replica, fork);

        pair.replication.session(8);
        pair.replica.settle();

        assertThat(pair.replicaEnd()).isEqualTo(pair.writerEnd());
        assertThat(pair.replication.cuts()).isEmpty();
        assertThat(pair.stream.refusals())
                .extracting(ReceiveRefusedException::reason)
                .containsExactly(Reason.NOT_RECEIVING);
        pair.stream.session(8);
        pair.stream.order(pair.replica, fork);
        pair.replica.settle();
        assertThat(pair.replicaEnd()).isEqualTo(fork);
    }

    @Test
    void aShortPassRefusesThemAsWell() throws IOException {
        Pair pair = new Pair(3);
        pair.write(5);
        pair.carryAll();
        long end = pair.replicaEnd();
        pair.write(1);
        pair.stream.offer(pair.replica, pair.stream.piece(end, pair.writerEnd(), 1), pair.writerEnd());

        pair.replication.session(8);

        assertThat(pair.replica.stepLogShortly()).isTrue();
        assertThat(pair.stream.refusals()).hasSize(1);
        assertThat(pair.replicaEnd()).isEqualTo(end);
    }

    @Test
    void anEpochBeginsWithTheNumberItIsGiven() throws IOException {
        Pair pair = new Pair(4);
        pair.write(5);
        pair.carryAll();
        pair.replication.epochToBegin(9);
        pair.replication.role(Role.APPENDS);

        pair.replica.send("topic", 0, "of the ninth");
        pair.replica.settle();

        assertThat(pair.replica.log().epoch()).isEqualTo(9);
        assertThat(pair.replica.log().extent().epochs().last().orElseThrow().number())
                .isEqualTo(9);
        pair.replica.closeClean();
        pair.replica.reopen();
        assertThat(pair.replica.log().epoch()).as("after a start").isEqualTo(9);
    }

    @Test
    void whoBeginsAnEpochIsToldWhereItsStartEndsAndNotWhereWhatFollowsDoes() throws IOException {
        Pair pair = new Pair(5);
        pair.write(5);
        pair.carryAll();
        long before = pair.replicaEnd();
        pair.replication.epochToBegin(2);
        pair.replication.role(Role.APPENDS);
        Sent sent = pair.replica.send("topic", 0, "in the same batch");

        pair.replica.stepLog();

        assertThat(pair.replication.epochs()).hasSize(1);
        pair.replica.settle();
        long begunTo = sent.request().physicalOffset(0);
        assertThat(begunTo).isGreaterThan(before);
        assertThat(pair.replication.epochs()).containsExactly("2:" + begunTo);
    }

    @Test
    void anEpochThatWouldNotRiseIsTheNextOne() throws IOException {
        Pair pair = new Pair(6);
        pair.write(5);
        pair.carryAll();
        pair.replication.epochToBegin(1);
        pair.replication.role(Role.APPENDS);

        pair.replica.stepLog();

        assertThat(pair.replica.log().epoch()).isEqualTo(2);
    }

    @Test
    void replicationDecidesWhetherOffsetsAreLeftOut() throws IOException { // R23
        Pair pair = new Pair(7);
        pair.write(20);
        pair.carryAll();
        pair.replication.leaveOut(1_000);
        pair.replication.role(Role.APPENDS);
        pair.replica.settle();

        Sent sent = pair.replica.send("topic0", 0, "behind the gap");
        pair.replica.settle();

        assertThat(sent.request().queueOffset()).isGreaterThanOrEqualTo(1_000);
    }
}
