package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.TransactionWorld.Restart;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessage;
import dev.perigee.protocol.transaction.HalfMessageList;
import dev.perigee.remoting.call.Answer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Halves whose frames are gone from the log, or cannot be read. */
class HalvesWithoutFramesTest {
    private static final String FIRST_FILE = "commitlog/00000000000000000000";
    private static final int FILE_BYTES = 1 << 20;
    /** Into the body of a half; its header takes less. */
    private static final int INTO_THE_BODY = 90;

    private TransactionWorld world;

    @BeforeEach
    void open() throws Exception {
        world = new TransactionWorld(Map.of("mappedFileSizeCommitLog", Integer.toString(FILE_BYTES)));
    }

    /** From then on the log has a second file. */
    private void fillTheFirstFile() throws Exception {
        while (world.broker.broker.logEndOffset() < FILE_BYTES) {
            assertThat(world.broker.sendWith("T", 0, "", "x".repeat(100_000)).code())
                    .isZero();
        }
    }

    private void damage(TransactionPeer.Half half) throws Exception {
        world.disk.flip(FIRST_FILE, half.commitLogOffset() + INTO_THE_BODY, 1);
    }

    private List<HalfMessage> list(@Nullable String group) throws Exception {
        Answer<NoHeader> answer = world.broker.run(world.broker.call(
                world.broker.client, Rpcs.LIST_HALF_MESSAGES, new HalfListHeader(group, null, -1, 10), null));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return Json.read(answer.body(), HalfMessageList.class).halves();
    }

    private void refusedAsNone(TransactionPeer.Half half, int outcome) throws Exception {
        Answer<NoHeader> answer = world.producer.ended(half, outcome);
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(answer.remarkText())
                .contains(
                        "The commit log offset wrong",
                        "commitLogOffset=" + half.commitLogOffset(),
                        "producerGroup=g",
                        "msgId=" + half.key());
    }

    @ParameterizedTest
    @ValueSource(ints = {TransactionPeer.COMMIT, TransactionPeer.ROLLBACK})
    void aDecisionAboutOneThatWasDecidedAndIsGoneSinceIsRefusedForNobodyCanTellWhoMayKnow(int outcome)
            throws Exception { // S3-11
        TransactionPeer.Half half = world.producer.half("T", "k", "");
        fillTheFirstFile();
        assertThat(world.producer.ended(half, TransactionPeer.COMMIT).code()).isZero();
        assertThat(world.producer.ended(half, TransactionPeer.COMMIT).code())
                .as("again, as long as it can be read")
                .isZero();
        world.goDown(Restart.CLOSED);
        world.disk.delete(FIRST_FILE);
        world.comeUp();
        world.producer = new TransactionPeer(world.broker, "g");
        world.broker.settle();
        long end = world.broker.broker.logEndOffset();
        refusedAsNone(half, outcome);
        assertThat(world.broker.broker.logEndOffset()).isEqualTo(end);
    }

    @Test
    void aDecisionAboutOneThatCannotBeReadIsRefusedAndLeavesItUndecided() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "");
        world.broker.settle();
        damage(half);
        long end = world.broker.broker.logEndOffset();
        refusedAsNone(half, TransactionPeer.COMMIT);
        refusedAsNone(half, TransactionPeer.ROLLBACK);
        assertThat(world.broker.broker.logEndOffset()).isEqualTo(end);
        assertThat(list(null)).hasSize(1);
    }

    @Test
    void oneThatCannotBeReadIsListedWithWhatIsKnownOfItAndSpoilsNoOther() throws Exception {
        long acceptedMs = world.clock.wallMs();
        TransactionPeer.Half damaged = world.producer.half("T", "damaged", "");
        world.producer.half("T", "sound", "");
        world.broker.settle();
        damage(damaged);
        List<HalfMessage> all = list(null);
        assertThat(all)
                .first()
                .isEqualTo(new HalfMessage(
                        damaged.commitLogOffset(),
                        damaged.queueOffset(),
                        "",
                        "",
                        "",
                        0,
                        0,
                        acceptedMs + 6_000,
                        acceptedMs,
                        "",
                        null,
                        0));
        assertThat(all).extracting(HalfMessage::uniqueKey).containsExactly("", "sound");
        assertThat(list("g")).extracting(HalfMessage::uniqueKey).containsExactly("sound");
    }
}
