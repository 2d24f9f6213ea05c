package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Deciding about halves (37). */
class EndTransactionTest {
    private static final int COMMIT = TransactionPeer.COMMIT;
    private static final int ROLLBACK = TransactionPeer.ROLLBACK;

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final MemoryViewStores stores = new MemoryViewStores();
    private SteppedBroker broker;
    private TransactionPeer producer;

    @BeforeEach
    void open() throws Exception {
        start(1);
        broker.run(broker.createTopic("T", 1));
    }

    private void start(long seed) throws Exception {
        broker = new SteppedBroker(disk, stores, clock, seed);
        producer = new TransactionPeer(broker, "g");
    }

    private List<MessageExt> delivered() throws Exception {
        Answer<?> answer = broker.run(broker.call(
                broker.client, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("TOOLS_CONSUMER", "T", 0, 0, 0), null));
        return answer.code() == 0 ? TestBroker.messages(answer) : List.of();
    }

    @Test
    void aCommittedHalfIsDeliveredAsItWasSent() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "TAGS=blue;own=value;");
        assertThat(delivered()).isEmpty();
        assertThat(producer.ended(half, COMMIT).code()).isZero();
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
                    .doesNotContainKeys("TRAN_MSG", "REAL_TOPIC", "REAL_QID");
        });
    }

    @Test
    void aHalfThatIsRolledBackIsNeverDelivered() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "");
        assertThat(producer.ended(half, ROLLBACK).code()).isZero();
        assertThat(delivered()).isEmpty();
        assertThat(producer.ended(half, COMMIT).code()).isEqualTo(ResponseCode.ILLEGAL_OPERATION);
        assertThat(delivered()).isEmpty();
    }

    @Test
    void theSameDecisionAgainIsAnsweredAsTheFirstAndAContraryOneIsRefused() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "");
        assertThat(producer.ended(half, COMMIT).code()).isZero();
        long end = broker.broker.logEndOffset();
        assertThat(producer.ended(half, COMMIT).code()).isZero();
        Answer<NoHeader> contrary = producer.ended(half, ROLLBACK);
        assertThat(contrary.code()).isEqualTo(ResponseCode.ILLEGAL_OPERATION);
        assertThat(contrary.remarkText())
                .isEqualTo("the half at commitLogOffset " + half.commitLogOffset()
                        + " of group g cannot be rolled back: it was already committed");
        assertThat(broker.broker.logEndOffset()).isEqualTo(end);
        assertThat(delivered()).hasSize(1);
    }

    @Test
    void decisionsThatComeTogetherAreTakenOneAfterTheOther() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "");
        List<CompletableFuture<Answer<NoHeader>>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            calls.add(producer.end(half, i % 2 == 0 ? ROLLBACK : COMMIT));
        }
        List<Integer> codes = new ArrayList<>();
        for (CompletableFuture<Answer<NoHeader>> call : calls) {
            codes.add(broker.run(call).code());
        }
        assertThat(codes).containsExactly(0, 604, 0, 604, 0, 604, 0, 604);
        assertThat(delivered()).isEmpty();
    }

    @Test
    void whoIsOneTooManyToWaitForADecisionIsToldToTryAgain() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "");
        List<CompletableFuture<Answer<NoHeader>>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            calls.add(producer.end(half, COMMIT));
        }
        broker.stepNetworkOnly(); // so that all are there before the first is decided
        int busy = 0;
        for (CompletableFuture<Answer<NoHeader>> call : calls) {
            Answer<NoHeader> answer = broker.run(call);
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
        TransactionPeer.Half half = producer.half("T", "k", "");
        long end = broker.broker.logEndOffset();
        assertThat(producer.ended(half, TransactionPeer.UNKNOWN).code()).isZero();
        assertThat(broker.broker.logEndOffset()).isEqualTo(end);
        assertThat(producer.ended(half, COMMIT).code()).isZero();
        assertThat(delivered()).hasSize(1);
    }

    @Test
    void aHalfOfATopicThatIsGoneStaysUndecided() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "");
        broker.run(broker.call(broker.client, Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("T"), null));
        Answer<NoHeader> refused = producer.ended(half, COMMIT);
        assertThat(refused.code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
        assertThat(refused.remarkText()).contains("topic[T]", "stays undecided");
        broker.run(broker.createTopic("T", 1));
        assertThat(producer.ended(half, COMMIT).code()).isZero();
        assertThat(delivered()).hasSize(1);
    }

    @Test
    void afterARestartWhatIsUndecidedIsDecidedAndWhatWasDecidedIsNot() throws Exception {
        TransactionPeer.Half open = producer.half("T", "open", "");
        TransactionPeer.Half done = producer.half("T", "done", "");
        assertThat(producer.ended(done, ROLLBACK).code()).isZero();
        broker.settle();
        broker.broker.close();
        start(2);
        assertThat(producer.ended(open, COMMIT).code()).isZero();
        assertThat(producer.ended(done, COMMIT).code()).isEqualTo(ResponseCode.ILLEGAL_OPERATION);
        assertThat(delivered())
                .extracting(message -> message.property("UNIQ_KEY"))
                .containsExactly("open");
    }

    @Test
    void onceTheImmunityIsOverOnlyTheAnswerToACheckCommits() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "CHECK_IMMUNITY_TIME_IN_SECONDS=5;");
        clock.nowMs += 6_000;
        Answer<NoHeader> late = producer.ended(half, COMMIT);
        assertThat(late.code()).isEqualTo(ResponseCode.ILLEGAL_OPERATION);
        assertThat(late.remarkText()).contains("CHECK_IMMUNITY_TIME_IN_SECONDS=5");
        EndTransactionHeader checked = producer.ending(half, COMMIT, true);
        assertThat(broker.run(producer.end(checked)).code()).isZero();
        assertThat(delivered()).hasSize(1);
    }

    @Test
    void aDecisionBeforeTheImmunityIsOverIsTaken() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "CHECK_IMMUNITY_TIME_IN_SECONDS=5;");
        clock.nowMs += 4_000;
        assertThat(producer.ended(half, COMMIT).code()).isZero();
    }
}
