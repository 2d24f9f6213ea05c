package dev.perigee.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.HelloAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HelloCheckTest {
    private static final HelloAnswer MASTER =
            new HelloAnswer("c", "b", 0, "aa", "f00d", 5, "e5", 0, 10_000, 9_000, 1, 1, 65_536);

    /** A replica to be changed in one respect. */
    private static final class Replica {
        private String cluster = "c";
        private String name = "b";
        private long id = 1;
        private String node = "bb";
        private String log = "f00d";
        private int epoch = 5;
        private String epochId = "e5";
        private long end = 8_000;
        private long confirm = 7_000;
        private int format = 1;
        private int feature = 1;

        HelloHeader hello() {
            return new HelloHeader(
                    cluster, name, id, node, log, epoch, epochId, 0, end, confirm, format, feature, 77, 78, 8 << 20,
                    false);
        }
    }

    private final Replica replica = new Replica();

    private Optional<String> refusal() {
        return HelloCheck.refusal(MASTER, replica.hello());
    }

    private void refusedWith(String... parts) {
        assertThat(refusal()).hasValueSatisfying(text -> assertThat(text).contains(parts));
    }

    @Test
    void takesInAReplicaOfTheSameLog() {
        assertThat(refusal()).isEmpty();
        assertThat(HelloCheck.refusal(replica.hello(), MASTER)).isEmpty();
    }

    @Test
    void takesInAnEmptyReplica() {
        replica.log = HelloCheck.NONE;
        replica.epoch = 0;
        replica.epochId = HelloCheck.NONE;
        replica.end = 0;
        replica.confirm = 0;
        assertThat(refusal()).isEmpty();
    }

    /** R6: its disk may have been emptied, and the replica is the one that is right. */
    @Test
    void anEmptyLogThatIsNotBegunYetIsNoOtherOneThanTheReplicas() {
        HelloAnswer empty = new HelloAnswer("c", "b", 0, "aa", "beef", 0, HelloCheck.NONE, 0, 0, 0, 1, 1, 65_536);
        assertThat(HelloCheck.stranger(empty, replica.hello())).isEmpty();
        assertThat(HelloCheck.refusal(empty, replica.hello())).isPresent();
        replica.cluster = "other";
        assertThat(HelloCheck.stranger(empty, replica.hello())).isPresent();
    }

    @Test
    void refusesAnotherCluster() {
        replica.cluster = "other";
        refusedWith("brokerClusterName", "other", "master c");
    }

    @Test
    void refusesAnotherBrokerName() {
        replica.name = "broker-x";
        refusedWith("brokerName", "broker-x", "master b");
    }

    @Test
    void refusesASecondMasterOfTheName() {
        replica.id = 0;
        refusedWith("two brokers b with brokerId 0", "bb", "aa");
    }

    @Test
    void refusesABrokerIdBelowZero() {
        replica.id = -1;
        refusedWith("-1");
    }

    @Test
    void refusesACopyOfItsOwnFolder() {
        replica.node = "aa";
        refusedWith("node id aa");
    }

    @Test
    void refusesTheLogOfAnotherMaster() {
        replica.log = "beef";
        refusedWith("log id", "beef", "f00d", "8000");
    }

    @Test
    void refusesANewerFormat() {
        replica.format = 2;
        refusedWith("format", "replica 2", "master 1");
    }

    @Test
    void refusesAReplicaThatDoesNotUnderstandTheLog() {
        replica.feature = 0;
        refusedWith("feature level", "replica 0", "1");
    }

    /** A longer log than its master's in the same epoch: one of both is not what it says it is. */
    @Test
    void refusesAnEndBeyondItsOwnInTheSameEpoch() {
        replica.end = 10_001;
        refusedWith("epoch 5", "10001", "10000");
    }

    /** Written by an earlier master and not taken over: that is cut, down to the confirm offset. */
    @ParameterizedTest
    @CsvSource({"4, e4", "5, other"})
    void takesInALongerLogOfAnotherEpoch(int epoch, String epochId) {
        replica.epoch = epoch;
        replica.epochId = epochId;
        replica.end = 20_000;
        assertThat(refusal()).isEmpty();
    }

    @Test
    void refusesAReplicaThatKnowsALaterMaster() {
        replica.epoch = 6;
        refusedWith("last epoch", "replica 6", "master 5");
    }

    /** R10: nothing that was confirmed to a replica is cut. */
    @Test
    void refusesAReplicaThatWasToldMoreThanItsLogHolds() {
        replica.epoch = 4;
        replica.epochId = "e4";
        replica.end = 20_000;
        replica.confirm = 10_001;
        refusedWith("confirm offset", "10001", "10000");
    }

    @Test
    void aReplicaFollowsNoReplica() {
        HelloAnswer slave = new HelloAnswer("c", "b", 2, "aa", "f00d", 5, "e5", 0, 10_000, 9_000, 1, 1, 65_536);
        assertThat(HelloCheck.refusal(replica.hello(), slave))
                .hasValueSatisfying(text -> assertThat(text).contains("brokerId", "2"));
    }

    @Test
    void aReplicaFollowsNoSenderOfAnotherLog() {
        HelloAnswer other = new HelloAnswer("c", "b", 0, "aa", "beef", 5, "e5", 0, 10_000, 9_000, 1, 1, 65_536);
        assertThat(HelloCheck.refusal(replica.hello(), other))
                .hasValueSatisfying(text -> assertThat(text).contains("beef", "f00d"));
    }

    @Test
    void aReplicaFollowsNoSenderOfANewerFormat() {
        HelloAnswer newer = new HelloAnswer("c", "b", 0, "aa", "f00d", 5, "e5", 0, 10_000, 9_000, 2, 1, 65_536);
        assertThat(HelloCheck.unknownFormat(replica.hello(), newer))
                .hasValueSatisfying(text -> assertThat(text).contains("format", "replica 1", "master 2"));
    }

    @Test
    void refusesAReplicaThatEndsBeforeItsOwnStart() {
        HelloAnswer trimmed = new HelloAnswer("c", "b", 0, "aa", "f00d", 5, "e5", 8_001, 10_000, 9_000, 1, 1, 65_536);
        assertThat(HelloCheck.refusal(trimmed, replica.hello()))
                .hasValueSatisfying(text -> assertThat(text).contains("8000", "8001", "anew"));
        assertThat(HelloCheck.mustRefill(trimmed, replica.hello())).isTrue();
        replica.confirm = 10_001;
        assertThat(HelloCheck.mustRefill(trimmed, replica.hello()))
                .as("it knows of more than the master has")
                .isFalse();
        replica.log = HelloCheck.NONE;
        replica.end = 0;
        replica.confirm = 0;
        assertThat(HelloCheck.refusal(trimmed, replica.hello())).isEmpty();
        assertThat(HelloCheck.mustRefill(trimmed, replica.hello())).isFalse();
    }

    /** An epoch whose beginning is damaged has the id 0: it is one, and equals no other. */
    @Test
    void anEpochOfUnknownIdIsNotNoEpoch() {
        assertThat(LogFacts.read(new ForkAnswer(3, HelloCheck.NONE, 50)))
                .hasValueSatisfying(
                        answer -> assertThat(answer.epoch().number()).isEqualTo(3));
        assertThat(LogFacts.read(new ForkAnswer(0, HelloCheck.NONE, 50))).isEmpty();
    }
}
