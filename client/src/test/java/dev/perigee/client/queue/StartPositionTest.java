package dev.perigee.client.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeOffsets.Question;
import dev.perigee.client.fake.World;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.position.BrokerOffsets;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class StartPositionTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);
    private static final MessageQueue RETRIES = new MessageQueue("%RETRY%g", "a", 0);

    private World world;
    private FakeBroker broker;
    private ClientInstance client;

    @BeforeEach
    void tenMessages() throws Exception {
        world = new World();
        broker = world.broker("a");
        world.nameServer().route("T", 2, broker);
        world.nameServer().route("%RETRY%g", 1, broker);
        client = world.instance("c");
        world.await(client.routes().get("T"), 1_000);
        send(10);
    }

    private void send(int messages) {
        for (int i = 0; i < messages; i++) {
            broker.log().append("T", 0, "m", "");
        }
    }

    private StartPosition position(ConsumeFrom from) {
        return new StartPosition(client, new BrokerOffsets(client, "g", BrokerOffsets.Committer.ANYBODY, null), from);
    }

    private Start find(StartPosition position, MessageQueue queue) {
        return world.await(position.find(queue), 10_000);
    }

    @Test
    void whatIsStoredCountsMoreThanThePolicy() {
        broker.positions().put("g", "T", 0, 4);
        assertThat(find(position(ConsumeFrom.lastOffset()), QUEUE)).isEqualTo(new Start(4, Start.Origin.STORED));
    }

    @Test
    void thePolicyDecidesWhenNothingIsStored() {
        assertThat(find(position(ConsumeFrom.lastOffset()), QUEUE)).isEqualTo(new Start(10, Start.Origin.POLICY));
        assertThat(find(position(ConsumeFrom.firstOffset()), QUEUE)).isEqualTo(new Start(0, Start.Origin.POLICY));
        world.clock().advanceMs(1_000);
        long nowMs = world.clock().wallMs();
        send(1);
        assertThat(find(position(ConsumeFrom.timestamp(nowMs)), QUEUE)).isEqualTo(new Start(10, Start.Origin.POLICY));
        assertThat(find(position(ConsumeFrom.lastOffset()), RETRIES).offset()).isZero();
    }

    @Test
    void aReplicaIsAskedWhileNoRouteShowsAMasterButIsNotBelievedToKnowOfAllThatIsStored() throws Exception {
        world.nameServer()
                .route(
                        "R",
                        TopicRouteData.of(
                                List.of(new QueueData("b", 1, 1, 6, 0)),
                                List.of(new BrokerData("C", "b", Map.of(1L, broker.address()), false, null)),
                                null));
        world.await(client.routes().get("R"), 1_000);
        MessageQueue queue = new MessageQueue("R", "b", 0);
        assertThatThrownBy(() -> find(position(ConsumeFrom.lastOffset()), queue))
                .hasMessageContaining(Integer.toString(ResponseCode.QUERY_NOT_FOUND));

        BrokerOffsets offsets = new BrokerOffsets(client, "g", BrokerOffsets.Committer.ANYBODY, null);
        world.await(offsets.commit(Map.of(queue, 4L)), 10_000);
        assertThat(find(position(ConsumeFrom.lastOffset()), queue)).isEqualTo(new Start(4, Start.Origin.STORED));
    }

    @Test
    void anOffsetThatCannotBeReadIsNoReasonToGuess() {
        broker.positions().answer(Question.STORED, ResponseCode.SYSTEM_ERROR);
        assertThatThrownBy(() -> find(position(ConsumeFrom.lastOffset()), QUEUE))
                .hasMessageContaining("scripted");
    }

    @Test
    void anEndThatIsFoundLateIsTheEndOfTheTimeTheConsumerBegan() {
        StartPosition position = position(ConsumeFrom.lastOffset());
        world.clock().advanceMs(1_000);
        position.found("T", Set.of(QUEUE));
        broker.positions().answer(Question.STORED, FakeBroker.SILENCE);
        assertThatThrownBy(() -> find(position, QUEUE)).isNotNull();
        position.roundEnded();
        send(5);
        broker.positions().answer(Question.STORED, 0);
        assertThat(find(position, QUEUE).offset()).isEqualTo(10);
    }

    @Test
    void anEndThatIsAnsweredAfterTheStartWasOverDoesNotSkipWhatWasSentMeanwhile() {
        StartPosition position = position(ConsumeFrom.lastOffset());
        world.clock().advanceMs(1_000);
        position.found("T", Set.of(QUEUE));
        broker.positions().holdEnds();
        CompletableFuture<Start> start = position.find(QUEUE);
        world.settle();
        position.startEnded(Set.of("T"));
        send(5);
        broker.positions().answerHeldEnds();
        assertThat(world.await(start, 1_000).offset()).isEqualTo(10);
    }

    @Test
    void aTopicNobodyCouldLookAtBeforeTheStartWasOverBeginsAtThatTime() {
        StartPosition position = position(ConsumeFrom.lastOffset());
        world.clock().advanceMs(1_000);
        position.startEnded(Set.of("T"));
        send(5);
        position.found("T", Set.of(QUEUE));
        assertThat(find(position, QUEUE).offset()).isEqualTo(10);
    }

    @Test
    void withinTheFirstRoundTheEndIsAskedForAsItIs() {
        StartPosition position = position(ConsumeFrom.lastOffset());
        position.found("T", Set.of(QUEUE));
        send(5);
        assertThat(find(position, QUEUE).offset()).isEqualTo(15);
        assertThat(broker.positions().timesAsked(Question.TIME)).isZero();
    }

    @Test
    void aQueueThatCameLaterToAKnownBrokerIsReadFromItsBeginning() {
        StartPosition position = position(ConsumeFrom.lastOffset());
        position.found("T", Set.of(new MessageQueue("T", "a", 1)));
        position.roundEnded();
        assertThat(find(position, QUEUE)).isEqualTo(new Start(0, Start.Origin.POLICY));
    }

    @Test
    void aTopicThatWasMissingAtTheStartIsReadFromItsBeginning() {
        StartPosition position = position(ConsumeFrom.lastOffset());
        position.found("T", Set.of());
        position.roundEnded();
        position.found("T", Set.of(QUEUE));
        assertThat(find(position, QUEUE).offset()).isZero();
    }

    /** It may have been away only: its queues can be full of what was never meant for this consumer. */
    @Test
    void ofABrokerThatCameLaterOnlyWhatWasStoredSinceIsRead() {
        StartPosition position = position(ConsumeFrom.lastOffset());
        world.clock().advanceMs(1_000);
        position.found("T", Set.of(new MessageQueue("T", "b", 0)));
        position.roundEnded();
        world.clock().advanceMs(1_000);
        send(3);
        assertThat(find(position, QUEUE).offset()).isEqualTo(10);
    }

    @Test
    void aQueueAssignedByHandStartsAtTheEndOfTheTimeItWasAskedFor() {
        StartPosition position = position(ConsumeFrom.lastOffset());
        broker.positions().answer(Question.END, FakeBroker.SILENCE);
        world.clock().advanceMs(1_000);
        assertThatThrownBy(() -> find(position, QUEUE)).isNotNull();
        send(5);
        broker.positions().answer(Question.END, 0);
        assertThat(find(position, QUEUE).offset()).isEqualTo(10);
        send(5);
        assertThat(find(position, QUEUE).offset())
                .as("once found, another time asks anew")
                .isEqualTo(20);
    }

    @Test
    void aTopicGivenUpAndTakenAgainBeginsAnew() {
        StartPosition position = position(ConsumeFrom.lastOffset());
        position.found("T", Set.of(QUEUE));
        position.roundEnded();
        position.forget("T");
        world.clock().advanceMs(1_000);
        send(5);
        position.found("T", Set.of(QUEUE));
        assertThat(find(position, QUEUE).offset()).isEqualTo(15);
    }

    @Test
    void anOffsetIsBroughtInsideOfWhatTheBrokerHas() {
        StartPosition position = position(ConsumeFrom.lastOffset());
        assertThat(world.await(position.within(QUEUE, -1), 1_000)).isZero();
        assertThat(world.await(position.within(QUEUE, 5), 1_000)).isEqualTo(5);
        assertThat(world.await(position.within(QUEUE, 11), 1_000)).isEqualTo(10);
    }
}
