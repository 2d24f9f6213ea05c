package dev.perigee.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeOffsets;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.protocol.message.MessageExt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A consumer in a process without a producer, whose master is gone: it does not wait for the next round of routes. */
final class MasterThatIsGoneTest {
    private static final int QUEUES = 64;
    private static final long SOON_MS = 3_000;
    /** A broker is asked after three seconds of silence, has two to answer, and a pull waits for one before it is sent again. */
    private static final long STILL_MS = 8_000;

    private static final String RETRY = "%RETRY%" + ConsumerWorld.GROUP;

    private final List<String> got = new ArrayList<>();
    private ConsumerWorld consumers;
    private FakeBroker first;
    private FakeBroker second;

    @BeforeEach
    void twoOfOneName() throws Exception {
        consumers = new ConsumerWorld(QUEUES);
        first = consumers.broker;
        second = consumers.world.broker("a");
        second.queues(ConsumerWorld.TOPIC, QUEUES);
        second.queues(RETRY, 1);
        route(Map.of(0L, first.address(), 1L, second.address()));
    }

    private void route(Map<Long, String> members) {
        for (String topic : List.of(ConsumerWorld.TOPIC, RETRY)) {
            int queues = topic.equals(RETRY) ? 1 : QUEUES;
            consumers.world.nameServer().routeToOneName(topic, queues, members);
        }
    }

    private ConsumeResult consumed(List<MessageExt> messages) {
        messages.forEach(message -> got.add(message.bodyText()));
        return ConsumeResult.SUCCESS;
    }

    private void append(String body) {
        first.log().append(ConsumerWorld.TOPIC, 0, body, "");
        second.log().append(ConsumerWorld.TOPIC, 0, body, "");
    }

    private void thenAnotherOneIsTheMaster() {
        append("before");
        consumers.run(1_000, 100);
        assertThat(got).containsExactly("before");
        first.close();
        consumers.run(2_000, 100); // nobody is the master yet
        route(Map.of(0L, second.address(), 1L, first.address()));
        second.log().append(ConsumerWorld.TOPIC, 0, "after", "");
    }

    @Test
    void pullsAndCommitsGoToTheNextMasterSoon() {
        consumers.start(consumers.builder("c").listener(this::consumed));
        thenAnotherOneIsTheMaster();
        consumers.run(SOON_MS, 100);
        assertThat(got).containsExactly("before", "after");
        consumers.run(2 * SOON_MS, 100);
        assertThat(second.offsets()).containsEntry(ConsumerWorld.GROUP + "@" + ConsumerWorld.TOPIC + "@0", 2L);
    }

    @Test
    void aQueueThatIsLockedGoesOnAtTheNextMasterBeforeItsLockIsOver() {
        consumers.start(consumers.builder("c").orderlyListener(this::consumed));
        thenAnotherOneIsTheMaster();
        consumers.run(SOON_MS, 100);
        assertThat(got).containsExactly("before", "after");
        consumers.run(QueueLocks.RENEW_MS, 100);
        assertThat(second.locks().holder(ConsumerWorld.GROUP, ConsumerWorld.queue(0)))
                .isNotNull();
    }

    /** It holds pulls, and answers nothing else either; the connection stays. */
    private void firstStandsStill() {
        first.positions().answer(FakeOffsets.Question.END, FakeBroker.SILENCE);
        first.positions().answer(FakeOffsets.Question.COMMIT, FakeBroker.SILENCE);
        first.holdHeartbeats();
    }

    @Test
    void pullsThatAMasterHoldsWhichStandsStillGoToTheNextOneSoon() {
        consumers.start(consumers.builder("c").listener(this::consumed));
        append("before");
        consumers.run(1_000, 100);
        firstStandsStill();
        second.log().append(ConsumerWorld.TOPIC, 0, "after", "");
        consumers.run(2_000, 100); // nobody else is the master yet
        route(Map.of(0L, second.address(), 1L, first.address()));
        consumers.run(STILL_MS, 100);
        assertThat(got).containsExactly("before", "after");
        assertThat(consumers.world.nameServer().timesAsked()).isLessThan(20);
    }

    @Test
    void aMasterThatHoldsPullsAndAnswersWhatItIsAskedKeepsThem() {
        consumers.start(consumers.builder("c").listener(this::consumed));
        consumers.run(1_000, 100);
        int pulls = first.log().pulls();
        route(Map.of(0L, second.address(), 1L, first.address()));
        int routes = consumers.world.nameServer().timesAsked();
        int asked = first.positions().timesAsked(FakeOffsets.Question.END);
        consumers.run(10_000, 100);
        assertThat(first.log().pulls()).isEqualTo(pulls);
        assertThat(first.positions().timesAsked(FakeOffsets.Question.END) - asked)
                .isBetween(1, 4);
        assertThat(consumers.world.nameServer().timesAsked()).isEqualTo(routes);
    }

    @Test
    void howeverManyCallsFailARouteIsNotAskedForAllTheTime() {
        consumers.start(consumers.builder("c").listener(this::consumed));
        consumers.run(1_000, 100);
        int before = consumers.world.nameServer().timesAsked();
        first.close();
        consumers.run(60_000, 100);
        int topics = 2;
        int mostInAMinute = 40;
        assertThat(consumers.world.nameServer().timesAsked() - before)
                .isGreaterThan(topics)
                .isLessThan(topics * mostInAMinute);
    }
}
