package dev.perigee.broker;

import static dev.perigee.broker.SteppedPair.MASTER_PORT;
import static dev.perigee.broker.SteppedPair.SLAVE_PORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.view.CheckpointFile;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a slave answers to what only its master may do, which offsets it keeps, and to whom it says nothing yet. */
class SlaveAnswersTest {
    private final SteppedPair pair = new SteppedPair();

    private void startPair() throws Exception {
        pair.startMaster(Map.of());
        pair.createTopic("T");
        pair.sendMany("T", 10);
        pair.heartbeat(MASTER_PORT, "g");
        pair.startSlave(Map.of());
        pair.level();
        pair.pass(1_500); // it is full now, and counts
        pair.level();
    }

    private void assertRefused(Answer<?> answer, int code) {
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(code);
        assertThat(answer.remarkText())
                .contains("broker-a")
                .contains("brokerId 1")
                .contains("slave")
                .contains("master");
    }

    @Test
    void nothingIsAppendedOnASlaveAndEveryAskerIsToldWhereItWouldBe() throws Exception {
        startPair();
        for (boolean alone : new boolean[] {false, true}) {
            if (alone) {
                pair.stopMaster();
                pair.pass(10);
            }
            long end = pair.slave().logEndOffset();
            assertRefused(pair.send(SLAVE_PORT, "T", "m", ""), ResponseCode.SYSTEM_BUSY);
            assertRefused(pair.send(SLAVE_PORT, "Unknown", "m", ""), ResponseCode.SYSTEM_BUSY);
            assertRefused(
                    pair.get(pair.call(
                            SLAVE_PORT,
                            Rpcs.UPDATE_AND_CREATE_TOPIC,
                            new CreateTopicHeader("N", "TBW102", 1, 1, 6, "SINGLE_TAG", 0, false, null, null),
                            null)),
                    ResponseCode.SYSTEM_ERROR);
            assertRefused(
                    pair.get(pair.call(SLAVE_PORT, Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("T"), null)),
                    ResponseCode.SYSTEM_ERROR);
            for (Rpc<NoHeader, NoHeader> deletion :
                    List.of(Rpcs.DELETE_EXPIRED_COMMITLOG, Rpcs.CLEAN_EXPIRED_CONSUMEQUEUE, Rpcs.CLEAN_UNUSED_TOPIC)) {
                Answer<?> asked = pair.get(pair.call(SLAVE_PORT, deletion, NoHeader.NONE, null));
                assertThat(asked.code()).as(asked.remarkText()).isZero();
                assertThat(asked.remarkText()).contains("nothing is deleted here");
            }
            byte[] lock = Json.write(
                    new QueueLockRequest("g", "c1", false, Set.of(new MessageQueue("T", "broker-a", 0)), null));
            assertRefused(
                    pair.get(pair.call(SLAVE_PORT, Rpcs.LOCK_BATCH_MQ, NoHeader.NONE, lock)), ResponseCode.SYSTEM_BUSY);
            pair.heartbeat(SLAVE_PORT, "nobodys");
            pair.pass(2_000);
            assertThat(pair.slave().logEndOffset()).isEqualTo(end);
        }
    }

    @Test
    void offsetsCommittedToASlaveAreItsMastersWhenThatIsBack() throws Exception {
        startPair();
        assertThat(pair.commit(MASTER_PORT, "g", 3).code()).isZero();
        pair.until(() -> position(SLAVE_PORT) == 3);
        pair.stopMaster();
        pair.heartbeat(SLAVE_PORT, "g");
        assertThat(pair.commit(SLAVE_PORT, "g", 7).code()).isZero();
        assertThat(position(SLAVE_PORT)).isEqualTo(7);
        assertThat(pair.commit(SLAVE_PORT, "g", 5).remarkText())
                .contains("smaller")
                .contains("slave");
        assertThat(position(SLAVE_PORT)).isEqualTo(7);
        assertThat(pair.commit(SLAVE_PORT, "g", 11).code()).isEqualTo(ResponseCode.INVALID_PARAMETER);
        pair.startMaster(Map.of());
        assertThat(position(MASTER_PORT))
                .as("when it serves, so that nobody goes back")
                .isEqualTo(7);
        assertThat(position(SLAVE_PORT)).isEqualTo(7);
        pair.level();
        pair.stopSlave();
        pair.startSlave(Map.of());
        assertThat(position(SLAVE_PORT)).as("by the log alone").isEqualTo(7);
    }

    @Test
    void aMasterThatIsFurtherKeepsItsOffset() throws Exception {
        startPair();
        pair.stopMaster();
        pair.heartbeat(SLAVE_PORT, "g");
        assertThat(pair.commit(SLAVE_PORT, "g", 4).code()).isZero();
        pair.startMaster(Map.of());
        assertThat(pair.commit(MASTER_PORT, "g", 8).code()).isZero();
        pair.pass(5_000);
        assertThat(position(MASTER_PORT)).isEqualTo(8);
        assertThat(position(SLAVE_PORT)).isEqualTo(8);
    }

    private long position(int port) {
        try {
            return pair.position(port, "g");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anEmptySlaveSaysNothingToClientsBeforeItHasWhatItsMasterHad() throws Exception {
        pair.startSlave(Map.of());
        pair.heartbeat(SLAVE_PORT, "g");
        assertNotYet("not heard yet");
        pair.stopSlave();
        pair.startSlave(Map.of());
        assertNotYet("not heard yet");
        startPairLate();
        Answer<PullMessageResponse> found = pair.get(pair.pull(SLAVE_PORT, "g", 0, 0));
        assertThat(found.code()).as(found.remarkText()).isZero();
        assertThat(TestBroker.bodies(found)).hasSize(10);
        assertThat(pair.slaveDisk.exists("refilling")).isFalse();
    }

    private void startPairLate() throws Exception {
        pair.startMaster(Map.of());
        pair.createTopic("T");
        pair.sendMany("T", 10);
        pair.level();
        pair.pass(1_500);
        pair.stopMaster();
        pair.pass(10);
    }

    private void assertNotYet(String why) throws Exception {
        Answer<PullMessageResponse> pulled = pair.get(pair.pull(SLAVE_PORT, "g", 0, 0));
        assertThat(pulled.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(pulled.remarkText()).contains("slave").contains(why);
        Answer<?> topics =
                pair.get(pair.call(SLAVE_PORT, Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader("T", null), null));
        assertThat(topics.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(topics.remarkText()).contains(why);
    }

    @Test
    void aSlaveThatWasStoppedHalfFilledIsNotReadBeforeItIsFull() throws Exception {
        startPair();
        pair.stopSlave();
        pair.slaveDisk.open("refilling").close();
        pair.stopMaster();
        pair.startSlave(Map.of());
        assertNotYet("half filled");
        pair.startMaster(Map.of());
        pair.level();
        pair.pass(1_500);
        pair.stopMaster();
        pair.pass(10);
        assertThat(pair.get(pair.pull(SLAVE_PORT, "g", 0, 0)).code()).isZero();
    }

    @Test
    void aSlaveThatWasFullIsReadAtItsStartWhetherOrNotItsMasterIsThere() throws Exception {
        startPair();
        pair.pass(1_500);
        pair.stopSlave();
        pair.stopMaster();
        pair.startSlave(Map.of());
        pair.heartbeat(SLAVE_PORT, "g");
        assertThat(TestBroker.bodies(pair.get(pair.pull(SLAVE_PORT, "g", 0, 0))))
                .hasSize(10);
    }

    @Test
    void aSlaveThatIsNotFullDoesNotStartAsAMaster() throws Exception {
        pair.startSlave(Map.of());
        pair.stopSlave();
        assertThatThrownBy(() ->
                        pair.startSlave(Map.of("brokerRole", "ASYNC_MASTER", "brokerId", "0", "haMasterAddress", "")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("refilling")
                .hasMessageContaining("accept the loss");
    }

    @Test
    void aSlaveWhoseLogIsTooOldDoesNotStartAsAMaster() throws Exception {
        startPair();
        pair.stopMaster();
        pair.stopSlave();
        pair.slaveDisk.open("refill-wanted").close();
        assertThatThrownBy(() -> pair.startSlaveAsMaster(Map.of("brokerRole", "ASYNC_MASTER")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("refill-wanted")
                .hasMessageContaining("accept the loss");
        pair.slaveDisk.delete("refill-wanted");
        pair.startSlaveAsMaster(Map.of("brokerRole", "ASYNC_MASTER"));
    }

    @Test
    void aFullSlaveStartsAsAMasterAndGoesOnWithLogAndOffsets() throws Exception {
        startPair();
        assertThat(pair.commit(MASTER_PORT, "g", 6).code()).isZero();
        pair.until(() -> position(SLAVE_PORT) == 6);
        pair.pass(1_500);
        pair.stopMaster();
        pair.stopSlave();
        pair.startSlave(Map.of("brokerRole", "ASYNC_MASTER", "brokerId", "0", "haMasterAddress", ""));
        assertThat(position(SLAVE_PORT)).isEqualTo(6);
        long after =
                pair.send(SLAVE_PORT, "T", "after the change", "").require().queueOffset();
        assertThat(after).as("behind a gap").isGreaterThan(10);
        assertThat(TestBroker.bodies(pair.get(pair.pull(SLAVE_PORT, "g", 6, 0))))
                .containsExactly("m6", "m7", "m8", "m9");
        assertThat(pair.get(pair.pull(SLAVE_PORT, "g", 10, 0)).require().nextBeginOffset())
                .isEqualTo(after);
        assertThat(TestBroker.bodies(pair.get(pair.pull(SLAVE_PORT, "g", after, 0))))
                .containsExactly("after the change");
    }

    @Test
    void offsetsCommittedToASlaveOutlastItsRestart() throws Exception {
        startPair();
        pair.pass(1_500);
        pair.stopMaster();
        pair.heartbeat(SLAVE_PORT, "g");
        assertThat(pair.commit(SLAVE_PORT, "g", 7).code()).isZero();
        pair.stopSlave();
        pair.startSlave(Map.of());
        assertThat(position(SLAVE_PORT)).isEqualTo(7);
        pair.startMaster(Map.of());
        pair.until(() -> position(MASTER_PORT) == 7);
        pair.pass(2_000);
        assertThat(pair.slaveDisk.exists("kept-offsets"))
                .as("when the log has them")
                .isFalse();
    }

    private void resetOnTheMaster(long offset) throws Exception {
        Answer<?> reset = pair.get(pair.call(
                MASTER_PORT,
                Rpcs.INVOKE_BROKER_TO_RESET_OFFSET,
                new ResetOffsetHeader("T", "g", 0, true, 0, offset),
                null));
        assertThat(reset.code()).as(reset.remarkText()).isZero();
    }

    /** Half a second may pass before the file says no more what was reset. */
    @Test
    void aResetOnTheMasterIsNotUndoneByAKilledSlavesFile() throws Exception {
        startPair();
        pair.stopMaster();
        pair.heartbeat(SLAVE_PORT, "g");
        assertThat(pair.commit(SLAVE_PORT, "g", 9).code()).isZero();
        pair.until(() -> pair.slaveDisk.exists("kept-offsets"));
        byte[] kept = pair.slaveDisk.content("kept-offsets");
        pair.startMaster(Map.of());
        pair.until(() -> position(MASTER_PORT) == 9);
        resetOnTheMaster(2);
        pair.until(() -> position(SLAVE_PORT) == 2);
        pair.stopSlave();
        pair.slaveDisk.put("kept-offsets", kept);
        CheckpointFile.deleteAll(pair.slaveDisk);

        pair.startSlave(Map.of());
        pair.pass(25_000);
        assertThat(position(MASTER_PORT)).isEqualTo(2);
        assertThat(position(SLAVE_PORT)).isEqualTo(2);
    }

    @Test
    void aResetOnTheMasterIsNotUndoneByWhatItsSlaveKept() throws Exception {
        startPair();
        pair.stopMaster();
        pair.heartbeat(SLAVE_PORT, "g");
        assertThat(pair.commit(SLAVE_PORT, "g", 9).code()).isZero();
        pair.startMaster(Map.of());
        pair.until(() -> position(MASTER_PORT) == 9);
        resetOnTheMaster(2);
        pair.until(() -> position(SLAVE_PORT) == 2);
        pair.pass(25_000);
        assertThat(position(MASTER_PORT)).isEqualTo(2);
        assertThat(position(SLAVE_PORT)).isEqualTo(2);
    }
}
