package dev.perigee.client.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeOffsets;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PullSeekTest {
    private PullWorld pulls;

    @BeforeEach
    void oneBroker() throws Exception {
        pulls = new PullWorld();
    }

    private OptionalLong seek(PullConsumer consumer, MessageQueue queue, long offset) {
        return pulls.world.await(consumer.seekAsync(queue, offset), 5_000);
    }

    @Test
    void aSeekDropsWhatWasReadAheadAndGoesOnFromThere() throws Exception {
        PullConsumer consumer = pulls.start(pulls.builder("c"));
        pulls.drain(consumer);
        assertThat(seek(consumer, PullWorld.FIRST, 48)).hasValue(48);
        assertThat(pulls.drain(consumer)).containsExactly("m96", "m98");
        assertThat(seek(consumer, PullWorld.FIRST, 45)).hasValue(45);
        pulls.world.settle();
        assertThat(seek(consumer, PullWorld.FIRST, 49)).hasValue(49);
        assertThat(pulls.drain(consumer)).containsExactly("m98");
    }

    @Test
    void aSeekOutsideOfTheLogEndsAtItsNearestPlace() throws Exception {
        PullConsumer consumer = pulls.start(pulls.builder("c"));
        pulls.drain(consumer);
        assertThat(seek(consumer, PullWorld.FIRST, -5)).hasValue(0);
        assertThat(pulls.drain(consumer)).hasSize(50);
        assertThat(seek(consumer, PullWorld.FIRST, 1_000)).hasValue(50);
        pulls.broker.log().append("T", 0, "next", "");
        assertThat(pulls.drain(consumer)).containsExactly("next");
    }

    @Test
    void aQueueNotReadIsNotMoved() throws Exception {
        PullConsumer consumer = pulls.start(pulls.builder("c"));
        assertThat(seek(consumer, new MessageQueue("T", "a", 7), 1)).isEmpty();
    }

    @Test
    void aSeekWithoutAPollIsCommittedByTheUser() throws Exception {
        PullConsumer consumer = pulls.start(pulls.builder("c").autoCommitMs(0));
        pulls.drain(consumer);
        seek(consumer, PullWorld.FIRST, 20);
        pulls.world.await(consumer.commitAsync(), 1_000);
        assertThat(pulls.stored(PullWorld.FIRST)).isEqualTo(20);
    }

    /** The seek belongs to one assignment; the queue came back at its stored position once, and has to again. */
    @Test
    void aSeekDuringAStartThatWasCalledOffIsForgotten() throws Exception {
        PullConsumer consumer = pulls.builder("c").build();
        pulls.world.add(consumer.loop());
        consumer.assign(List.of(PullWorld.FIRST));
        pulls.broker.positions().answer(FakeOffsets.Question.STORED, FakeBroker.SILENCE);
        var started = consumer.startAsync();
        pulls.world.settle();
        assertThat(seek(consumer, PullWorld.FIRST, 40)).hasValue(40);
        assignByHand(consumer, PullWorld.SECOND);
        pulls.world.run(4_000, 100);
        pulls.broker.positions().answer(FakeOffsets.Question.STORED, 0);
        pulls.broker.positions().put("g", "T", 0, 10);
        assignByHand(consumer, PullWorld.FIRST);
        pulls.world.run(4_000, 100);
        assertThat(started).isDone();
        assertThat(pulls.drain(consumer)).hasSize(40).startsWith("m20");
    }

    private void assignByHand(PullConsumer consumer, MessageQueue queue) {
        var assigned = consumer.assignAsync(Set.of(queue));
        pulls.world.settle();
        assertThat(assigned).isNotCancelled();
    }

    @Test
    void aQueuePausedBeforeItIsReadStaysPausedWhenItComes() throws Exception {
        PullConsumer consumer = pulls.builder("c").build();
        pulls.world.add(consumer.loop());
        consumer.pause(List.of(PullWorld.FIRST));
        consumer.subscribe("T", "*");
        pulls.world.await(consumer.startAsync(), 10_000);
        assertThat(pulls.drain(consumer)).hasSize(50).allMatch(body -> Integer.parseInt(body.substring(1)) % 2 == 1);
        consumer.resume(List.of(PullWorld.FIRST));
        assertThat(pulls.drain(consumer)).hasSize(50);
    }

    @Test
    void aPausedQueueThatGoesAndComesBackStaysPaused() throws Exception {
        PullConsumer consumer = pulls.start(pulls.builder("c"));
        pulls.drain(consumer);
        consumer.pause(List.of(PullWorld.FIRST, PullWorld.SECOND));
        PullConsumer other = pulls.start(pulls.builder("d"));
        pulls.world.run(1_000, 100);
        pulls.kill(other);
        pulls.world.run(1_000, 100);
        pulls.broker.log().append("T", 0, "x0", "");
        pulls.broker.log().append("T", 1, "x1", "");
        assertThat(pulls.drain(consumer)).isEmpty();
        consumer.resume(List.of(PullWorld.FIRST, PullWorld.SECOND));
        assertThat(pulls.drain(consumer)).containsExactlyInAnyOrder("x0", "x1");
    }
}
