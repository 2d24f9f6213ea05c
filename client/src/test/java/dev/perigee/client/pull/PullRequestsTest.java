package dev.perigee.client.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.client.ConsumerRunningInfo;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.header.client.ConsumerStatusHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ConsumerStatusBody;
import dev.perigee.protocol.stats.ResetOffsetBody;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PullRequestsTest {
    private PullWorld pulls;
    private PullConsumer consumer;

    @BeforeEach
    void consumerThatPolledEverything() throws Exception {
        pulls = new PullWorld();
        consumer = pulls.start(pulls.builder("c").autoCommitMs(0));
        pulls.drain(consumer);
    }

    private <Q extends Record, R extends Record> Answer<R> ask(Rpc<Q, R> rpc, Q header) {
        Deadline deadline = Deadline.after(pulls.world.clock(), 5_000);
        return pulls.world.await(pulls.broker.member("g").call(rpc, header, null, deadline), 5_000);
    }

    @Test
    void aResetMovesTheQueueAndIsCommittedAtOnce() throws Exception {
        byte[] body = Json.write(new ResetOffsetBody(Map.of(PullWorld.FIRST, 48L)));
        pulls.broker
                .member("g")
                .oneway(Rpcs.RESET_CONSUMER_CLIENT_OFFSET, new ResetOffsetHeader("T", "g", 0, true, -1, null), body);
        pulls.world.settle();
        assertThat(pulls.stored(PullWorld.FIRST)).isEqualTo(48);
        assertThat(pulls.drain(consumer)).containsExactly("m96", "m98");
    }

    @Test
    void tellsItsPositions() throws Exception {
        Answer<?> answer = ask(Rpcs.GET_CONSUMER_STATUS_FROM_CLIENT, new ConsumerStatusHeader("T", "g", null));
        assertThat(Json.read(answer.body(), ConsumerStatusBody.class).messageQueueTable())
                .containsOnly(Map.entry(PullWorld.FIRST, 50L), Map.entry(PullWorld.SECOND, 50L));
    }

    @Test
    void describesItself() throws Exception {
        Answer<?> answer = ask(Rpcs.GET_CONSUMER_RUNNING_INFO, new RunningInfoHeader("g", consumer.clientId(), true));
        ConsumerRunningInfo info = Json.read(answer.body(), ConsumerRunningInfo.class);
        assertThat(info.mqTable().get(PullWorld.FIRST))
                .satisfies(queue -> assertThat(queue.commitOffset()).isEqualTo(50));
        assertThat(info.properties())
                .containsEntry("PROP_CONSUME_TYPE", "CONSUME_ACTIVELY")
                .containsEntry("autoCommitMs", "0");
        assertThat(info.subscriptionSet()).hasSize(1);
        assertThat(info.jstack()).contains("state=");
    }

    @Test
    void refusesByNameWhatOnlyAListenerCanDo() {
        ConsumeDirectlyHeader header = new ConsumeDirectlyHeader("g", consumer.clientId(), null, "a", null, null, null);
        Answer<?> answer = ask(Rpcs.CONSUME_MESSAGE_DIRECTLY, header);
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.remarkText()).contains("group g").contains("polling");
    }

    @Test
    void pullsFromABrokerThatKnowsOnlyTheOlderCode() throws Exception {
        pulls.broker.log().refuseLitePulls();
        pulls.broker.log().append("T", 0, "x", "");
        pulls.world.run(31_000, 1_000);
        pulls.broker.log().append("T", 0, "y", "");
        assertThat(pulls.drain(consumer)).containsExactly("x", "y");
    }

    @Test
    void refusesQuestionsAboutAnotherGroup() {
        Answer<?> answer = ask(Rpcs.GET_CONSUMER_RUNNING_INFO, new RunningInfoHeader("stranger", "c", false));
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.remarkText()).contains("stranger");
    }
}
