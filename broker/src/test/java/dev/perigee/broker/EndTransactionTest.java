package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.TransactionWorld.Restart;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deciding about halves (37). */
class EndTransactionTest {
    private static final int COMMIT = TransactionPeer.COMMIT;
    private static final int ROLLBACK = TransactionPeer.ROLLBACK;

    private TransactionWorld world;

    @BeforeEach
    void open() throws Exception {
        world = new TransactionWorld(Map.of());
    }

    private List<MessageExt> delivered() throws Exception {
        return world.broker.stored("T");
    }

    @Test
    void aCommittedHalfIsDeliveredAsItWasSent() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "TAGS=blue;own=value;");
        assertThat(delivered()).isEmpty();
        assertThat(world.producer.ended(half, COMMIT).code()).isZero();
        assertThat(delivered()).singleElement().satisfies(message -> {
            assertThat(message.bodyText()).isEqualTo("body of k");
            assertThat(message.tag()).isEqualTo("blue");
            assertThat(message.flag())
                    .isEqualTo(TestBroker.sendHeader("T", 0, "").flag());
            assertThat(message.sysFlag()).isEqualTo(8);
            assertThat(message.preparedTransactionOffset()).isEqualTo(half.commitLogOffset());
            assertThat(message.properties())
                    .containsEntry("own", "value")
                    .containsEntry("UNIQ_KEY", "k")
                    .containsEntry("TRAN_MSG", "true")
                    .doesNotContainKeys("REAL_TOPIC", "REAL_QID", "TRANSACTION_CHECK_TIMES");
        });
    }

    @Test
    void aHalfThatIsRolledBackIsNeverDelivered() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "");
        assertThat(world.producer.ended(half, ROLLBACK).code()).isZero();
        assertThat(delivered()).isEmpty();
        assertThat(world.producer.ended(half, COMMIT).code()).isEqualTo(ResponseCode.ILLEGAL_OPERATION);
        assertThat(delivered()).isEmpty();
    }

    @Test
    void theSameDecisionAgainIsAnsweredAsTheFirstAndAContraryOneIsRefused() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "");
        assertThat(world.producer.ended(half, COMMIT).code()).isZero();
        long end = world.broker.broker.logEndOffset();
        assertThat(world.producer.ended(half, COMMIT).code()).isZero();
        Answer<NoHeader> contrary = world.producer.ended(half, ROLLBACK);
        assertThat(contrary.code()).isEqualTo(ResponseCode.ILLEGAL_OPERATION);
        assertThat(contrary.remarkText())
                .isEqualTo("the half at commitLogOffset " + half.commitLogOffset()
                        + " of group g cannot be rolled back: it was already committed");
        assertThat(world.broker.broker.logEndOffset()).isEqualTo(end);
        assertThat(delivered()).hasSize(1);
    }

    @Test
    void decisionsThatComeTogetherAreTakenOneAfterTheOther() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "");
        List<CompletableFuture<Answer<NoHeader>>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            calls.add(world.producer.end(half, i % 2 == 0 ? ROLLBACK : COMMIT));
        }
        List<Integer> codes = new ArrayList<>();
        for (CompletableFuture<Answer<NoHeader>> call : calls) {
            codes.add(world.broker.run(call).code());
        }
        assertThat(codes).containsExactly(0, 604, 0, 604, 0, 604, 0, 604);
        assertThat(delivered()).isEmpty();
    }

    @Test
    void whoIsOneTooManyToWaitForADecisionIsToldToTryAgain() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "");
        List<CompletableFuture<Answer<NoHeader>>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            calls.add(world.producer.end(half, COMMIT));
        }
        world.broker.stepNetworkOnly(); // so that all are there before the first is decided
        int busy = 0;
        for (CompletableFuture<Answer<NoHeader>> call : calls) {
            Answer<NoHeader> answer = world.broker.run(call);
            if (answer.code() != 0) {
                assertThat(answer.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
                assertThat(answer.remarkText()).contains("more than 16 decisions about one transaction");
                busy++;
            }
        }
        assertThat(busy).isEqualTo(3);
        assertThat(delivered()).hasSize(1);
    }

    @Test
    void thatNothingIsKnownYetIsAnsweredAndChangesNothing() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "");
        long end = world.broker.broker.logEndOffset();
        assertThat(world.producer.ended(half, TransactionPeer.UNKNOWN).code()).isZero();
        assertThat(world.broker.broker.logEndOffset()).isEqualTo(end);
        assertThat(world.producer.ended(half, COMMIT).code()).isZero();
        assertThat(delivered()).hasSize(1);
    }

    @Test
    void aHalfOfATopicThatIsGoneStaysUndecided() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "");
        world.broker.run(
                world.broker.call(world.broker.client, Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("T"), null));
        Answer<NoHeader> refused = world.producer.ended(half, COMMIT);
        assertThat(refused.code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
        assertThat(refused.remarkText()).contains("topic[T]", "stays undecided");
        world.broker.run(world.broker.createTopic("T", 1));
        assertThat(world.producer.ended(half, COMMIT).code()).isZero();
        assertThat(delivered()).hasSize(1);
    }

    @Test
    void afterARestartWhatIsUndecidedIsDecidedAndWhatWasDecidedIsNot() throws Exception {
        TransactionPeer.Half open = world.producer.half("T", "open", "");
        TransactionPeer.Half done = world.producer.half("T", "done", "");
        assertThat(world.producer.ended(done, ROLLBACK).code()).isZero();
        world.restart(Restart.CLOSED);
        assertThat(world.producer.ended(open, COMMIT).code()).isZero();
        assertThat(world.producer.ended(done, COMMIT).code()).isEqualTo(ResponseCode.ILLEGAL_OPERATION);
        assertThat(delivered())
                .extracting(message -> message.property("UNIQ_KEY"))
                .containsExactly("open");
    }

    @ParameterizedTest
    @EnumSource
    void theSameDecisionIsAnsweredAsTheFirstAlsoAfterARestart(Restart restart) throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "");
        TransactionPeer.Half other = world.producer.half("T", "other", "");
        assertThat(world.producer.ended(half, COMMIT).code()).isZero();
        assertThat(world.producer.ended(other, ROLLBACK).code()).isZero();
        world.restart(restart);
        assertThat(world.producer.ended(half, COMMIT).code()).isZero();
        assertThat(world.producer.ended(other, ROLLBACK).code()).isZero();
        Answer<NoHeader> contrary = world.producer.ended(half, ROLLBACK);
        assertThat(contrary.code()).isEqualTo(ResponseCode.ILLEGAL_OPERATION);
        assertThat(contrary.remarkText()).contains("it was already committed");
        assertThat(delivered()).hasSize(1);
    }

    @Test
    void aLargeHalfIsDecidedLikeAnyOther() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", new byte[200_000], "");
        assertThat(world.producer.ended(half, COMMIT).code()).isZero();
        assertThat(delivered())
                .singleElement()
                .satisfies(message -> assertThat(message.body()).hasSize(200_000));
    }

    @Test
    void onceTheImmunityIsOverOnlyTheAnswerToACheckCommits() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "CHECK_IMMUNITY_TIME_IN_SECONDS=5;");
        world.clock.nowMs += 6_000;
        Answer<NoHeader> late = world.producer.ended(half, COMMIT);
        assertThat(late.code()).isEqualTo(ResponseCode.ILLEGAL_OPERATION);
        assertThat(late.remarkText()).contains("CHECK_IMMUNITY_TIME_IN_SECONDS=5");
        EndTransactionHeader checked = world.producer.ending(half, COMMIT, true);
        assertThat(world.broker.run(world.producer.end(checked)).code()).isZero();
        assertThat(delivered()).hasSize(1);
    }

    @Test
    void aDecisionBeforeTheImmunityIsOverIsTaken() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "CHECK_IMMUNITY_TIME_IN_SECONDS=5;");
        world.clock.nowMs += 4_000;
        assertThat(world.producer.ended(half, COMMIT).code()).isZero();
    }
}
