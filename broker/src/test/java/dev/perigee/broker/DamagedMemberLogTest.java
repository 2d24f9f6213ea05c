package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.StoreConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** R28: a reader is given nothing of a frame that rotted at the master of a group, and gets it once it has come again from another member. */
final class DamagedMemberLogTest {
    /** Inside of the frame. */
    private static final int INTO_THE_FRAME = 90;

    private static final int MENDED_MS = 2_000;
    /** Of which a whole number is as large as a unit may be. */
    private static final int FRAME_BYTES = 240;

    private static void restart(SteppedMembers members, int index) throws Exception {
        members.kill(index);
        members.start(index);
    }

    private static void awaitLevel(SteppedMembers members, int master) {
        members.until(() -> members.others(master).stream().allMatch(other -> members.isLevel(other, master)));
    }

    /** What was written by a process that still runs is not looked at by readers: so each is another one than wrote it. */
    private static int masterThatWroteNothingOfIt(SteppedMembers members) throws Exception {
        restart(members, 0);
        restart(members, 1);
        restart(members, 2);
        int master = members.master();
        awaitLevel(members, master);
        members.pass(3_000);
        return members.master();
    }

    @Test
    void aMasterGetsItFromAnotherMember() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        assertThat(members.send(first, "T", "before").code()).isZero();
        long place = MessageId.parse(TestBroker.messageId(members.send(first, "T", "rotten")))
                .physicalOffset();
        assertThat(members.send(first, "T", "behind").code()).isZero();
        awaitLevel(members, first);
        int master = masterThatWroteNothingOfIt(members);

        DamagedLogTest.damage(members.disk(master), place + INTO_THE_FRAME);
        Answer<PullMessageResponse> refused = members.get(members.pull(master, "T", 0, 0));
        assertThat(refused.code()).as(refused.remarkText()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(refused.remarkText()).contains("damaged at offset " + place);
        assertThat(refused.body()).isEmpty();
        members.pass(MENDED_MS);

        assertThat(members.bodies(master, "T", 0)).containsExactly("before", "rotten", "behind");
        assertThat(members.masters()).as("it mends in place").containsExactly(master);
    }

    /** R12-07: a unit is mended whole, however large it is. */
    @Test
    void aMasterGetsALargeBatchFromAnotherMember() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of("mappedFileSizeCommitLog", Integer.toString(32 << 20)));
        int first = members.master();
        members.createTopic(first, "T");
        String ids = TestBroker.messageId(members.sendBatch(first, "T", 65_000, 20));
        long place = offsetOf(ids.substring(0, ids.indexOf(',')));
        assertThat(members.broker(first).log().endOffset() - place)
                .as("bytes of the batch")
                .isGreaterThan(8 << 20);
        awaitLevel(members, first);
        isMendedFromAnotherMember(members, place, 0);
    }

    /** The largest unit there may be goes everywhere: to followers, through their restarts, and from one to another that lost it. */
    @Test
    void aMasterGetsABatchOfExactlyTheLargestSizeFromAnotherMember() throws Exception {
        SteppedMembers members = new SteppedMembers(
                3,
                Map.of(
                        "maxMessageSize",
                        Integer.toString(12 << 20),
                        "mappedFileSizeCommitLog",
                        Integer.toString(64 << 20)));
        int first = members.master();
        members.createTopic(first, "T");
        String[] two = TestBroker.messageId(members.sendBatch(first, "T", 2, 1)).split(",");
        int headBytes = (int) (offsetOf(two[1]) - offsetOf(two[0])) - 1;
        int count = StoreConfig.MAX_UNIT_BYTES / FRAME_BYTES;
        Answer<?> tooLarge = members.sendBatch(first, "T", count, FRAME_BYTES - headBytes + 1);
        assertThat(tooLarge.code()).as(tooLarge.remarkText()).isEqualTo(ResponseCode.MESSAGE_ILLEGAL);
        Answer<SendMessageResponse> sent = members.sendBatch(first, "T", count, FRAME_BYTES - headBytes);
        assertThat(sent.code()).as(sent.remarkText()).isZero();
        long place = offsetOf(TestBroker.messageId(sent).split(",")[0]);
        assertThat(members.broker(first).log().endOffset() - place).isGreaterThanOrEqualTo(StoreConfig.MAX_UNIT_BYTES);
        awaitLevel(members, first);
        isMendedFromAnotherMember(members, place, 2);
    }

    /** What is damaged at a master that did not write it, and is the queue's next from that offset on, is read there again. */
    private static void isMendedFromAnotherMember(SteppedMembers members, long place, long queueOffset)
            throws Exception {
        int master = masterThatWroteNothingOfIt(members);

        DamagedLogTest.damage(members.disk(master), place + INTO_THE_FRAME);
        assertThat(members.get(members.pull(master, "T", queueOffset, 0)).remarkText())
                .contains("damaged at offset " + place);
        members.pass(MENDED_MS);

        assertThat(members.bodies(master, "T", queueOffset)).isNotEmpty();
    }

    private static long offsetOf(String messageId) throws Exception {
        return MessageId.parse(messageId).physicalOffset();
    }
}
