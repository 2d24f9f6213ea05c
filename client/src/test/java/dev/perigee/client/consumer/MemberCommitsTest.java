package dev.perigee.client.consumer;

import static dev.perigee.client.consumer.ConsumerWorld.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.listener.ConsumeResult;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A member commits where the broker knows it for one: behind the answer to a heartbeat, over the same connection. */
final class MemberCommitsTest {
    private static final String COMMIT = "commit T 0 1";

    private ConsumerWorld all;
    private FakeBroker broker;
    private PushConsumer consumer;

    @BeforeEach
    void aMemberThatHasConsumedButNotCommittedAMessage() throws Exception {
        all = new ConsumerWorld(1);
        broker = all.broker;
        all.append(0, "m0");
        consumer = all.start(all.builder("c").listener(messages -> ConsumeResult.SUCCESS));
        all.callNext();
        assertThat(broker.events()).doesNotContain(COMMIT);
    }

    private void cutWhileHeartbeatsAreNotAnswered() {
        broker.holdHeartbeats();
        broker.member(GROUP).close("cut by the test");
        all.world.settle();
        assertThat(broker.memberCount(GROUP)).isZero();
    }

    @Test
    void overAConnectionThatHasHeardNoHeartbeatNothingIsCommittedBeforeOneIsAnswered() {
        cutWhileHeartbeatsAreNotAnswered();
        all.world.run(2 * PushConsumer.PERSIST_MS, 100);
        assertThat(broker.events()).doesNotContain(COMMIT);

        broker.answerHeldHeartbeats();
        all.world.run(PushConsumer.PERSIST_MS, 100);
        assertThat(broker.events()).contains(COMMIT);
    }

    @Test
    void theLastCommitOfOneThatLeavesOverANewConnectionDoesNotComeBeforeTheBrokerKnowsIt() {
        cutWhileHeartbeatsAreNotAnswered();
        CompletableFuture<Void> left = consumer.closeAsync();
        all.world.settle();
        assertThat(left).isNotDone();
        assertThat(broker.events()).doesNotContain(COMMIT);

        broker.answerHeldHeartbeats();
        all.world.await(left, 1_000);
        assertThat(broker.events()).endsWith(COMMIT, "goodbye");
        assertThat(broker.memberCount(GROUP)).isZero();
    }

    @Test
    void ofCommitsThatWaitForTheSameAnswerTheOlderDoesNotCountLast() {
        all.append(0, "m1");
        all.world.settle();
        cutWhileHeartbeatsAreNotAnswered();
        all.world.run(PushConsumer.PERSIST_MS, 100);
        all.callNext();
        CompletableFuture<Void> left = consumer.closeAsync();
        all.world.settle();

        broker.answerHeldHeartbeats();
        all.world.await(left, 1_000);
        assertThat(broker.events()).contains("commit T 0 2").doesNotContain(COMMIT);
    }

    @Test
    void aBrokerThatAnswersNoHeartbeatKeepsNobodyFromLeaving() {
        cutWhileHeartbeatsAreNotAnswered();
        all.world.await(consumer.closeAsync(), 5_000);
        assertThat(broker.events()).endsWith("goodbye").doesNotContain(COMMIT);
    }
}
