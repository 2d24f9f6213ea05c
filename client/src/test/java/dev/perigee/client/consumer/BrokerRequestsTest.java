package dev.perigee.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.client.ConsumeDirectlyResult;
import dev.perigee.protocol.client.ConsumerRunningInfo;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.header.client.ConsumerStatusHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ConsumerStatusBody;
import dev.perigee.protocol.stats.ResetOffsetBody;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What brokers ask of a consumer over its own connection (broker-client §11). */
final class BrokerRequestsTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);

    private final List<String> got = new ArrayList<>();
    private final List<Runnable> dropped = new ArrayList<>();
    private boolean drops;
    private World world;
    private FakeBroker broker;
    private PushConsumer consumer;

    @BeforeEach
    void consumeThreeMessages() throws Exception {
        world = new World();
        broker = world.broker("a");
        world.nameServer().route("T", 1, broker);
        world.nameServer().route("%RETRY%g", 1, broker);
        for (int i = 0; i < 3; i++) {
            broker.log().append("T", 0, "m" + i, "");
        }
        consumer = world.in(PushConsumer.builder())
                .group("g")
                .instanceName("c")
                .subscribe("T", "*")
                .consumeFrom(ConsumeFrom.firstOffset())
                .executor(this::execute)
                .listener(messages -> {
                    messages.forEach(m -> got.add(m.bodyText()));
                    if (messages.get(0).bodyText().equals("throw")) {
                        throw new IllegalStateException("expected by the test");
                    }
                    return ConsumeResult.SUCCESS;
                })
                .build();
        world.add(consumer.loop());
        world.await(consumer.startAsync(), 10_000);
        world.run(100, 10);
        assertThat(got).containsExactly("m0", "m1", "m2");
    }

    /** As a user's executor may do. */
    private void execute(Runnable task) {
        if (drops) {
            dropped.add(task);
        } else {
            task.run();
        }
    }

    private <Q extends Record, R extends Record> Answer<R> ask(Rpc<Q, R> rpc, Q header, byte @Nullable [] body) {
        return world.await(broker.member("g").call(rpc, header, body, Deadline.after(world.clock(), 5_000)), 5_000);
    }

    @Test
    void resetDeliversMessagesAgainAndCommitsTheNewPosition() {
        byte[] body = Json.write(new ResetOffsetBody(Map.of(QUEUE, 1L)));
        broker.member("g")
                .oneway(Rpcs.RESET_CONSUMER_CLIENT_OFFSET, new ResetOffsetHeader("T", "g", 0, true, -1, null), body);
        world.run(6_000, 100);
        assertThat(got).containsExactly("m0", "m1", "m2", "m1", "m2");
        assertThat(broker.offsets()).containsEntry("g@T@0", 3L);
    }

    @Test
    void tellsItsPositions() throws Exception {
        Answer<?> answer = ask(Rpcs.GET_CONSUMER_STATUS_FROM_CLIENT, new ConsumerStatusHeader("T", "g", null), null);
        assertThat(Json.read(answer.body(), ConsumerStatusBody.class).messageQueueTable())
                .containsExactly(Map.entry(QUEUE, 3L));
    }

    @Test
    void describesItself() throws Exception {
        Answer<?> answer =
                ask(Rpcs.GET_CONSUMER_RUNNING_INFO, new RunningInfoHeader("g", consumer.clientId(), true), null);
        ConsumerRunningInfo info = Json.read(answer.body(), ConsumerRunningInfo.class);
        assertThat(info.mqTable()).hasEntrySatisfying(QUEUE, queue -> {
            assertThat(queue.commitOffset()).isEqualTo(3);
            assertThat(queue.lastConsumeTimestamp())
                    .isBetween(world.clock().wallMs() - 200, world.clock().wallMs());
        });
        assertThat(info.properties()).containsEntry("PROP_CONSUME_TYPE", "CONSUME_PASSIVELY");
        assertThat(info.jstack()).contains("state=");
    }

    @Test
    void consumesOneMessageDirectlyAndSaysHowItWent() throws Exception {
        broker.log().append("other", 0, "direct", "");
        broker.log().append("other", 0, "throw", "");
        assertThat(consumeDirectly(0).consumeResult()).isEqualTo("CR_SUCCESS");
        assertThat(consumeDirectly(1).consumeResult()).isEqualTo("CR_THROW_EXCEPTION");
        assertThat(got).endsWith("direct", "throw");
    }

    private ConsumeDirectlyResult consumeDirectly(int index) throws Exception {
        ConsumeDirectlyHeader header = new ConsumeDirectlyHeader("g", consumer.clientId(), null, "a", null, null, null);
        Answer<?> answer =
                ask(Rpcs.CONSUME_MESSAGE_DIRECTLY, header, broker.log().frame("other", 0, index));
        return Json.read(answer.body(), ConsumeDirectlyResult.class);
    }

    @Test
    void aDirectMessageThatNoThreadTakesIsRefusedInTimeAndNotConsumedLater() {
        broker.log().append("other", 0, "direct", "");
        drops = true;
        ConsumeDirectlyHeader header = new ConsumeDirectlyHeader("g", consumer.clientId(), null, "a", null, null, null);
        Answer<?> answer =
                ask(Rpcs.CONSUME_MESSAGE_DIRECTLY, header, broker.log().frame("other", 0, 0));
        assertThat(answer.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(answer.remarkText()).contains("callTimeoutMs=3000");
        assertThat(dropped).hasSize(1);
        dropped.get(0).run();
        assertThat(got).doesNotContain("direct");
    }

    @Test
    void refusesQuestionsAboutAnotherGroup() {
        Answer<?> answer = ask(Rpcs.GET_CONSUMER_RUNNING_INFO, new RunningInfoHeader("stranger", "c", false), null);
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.remarkText()).contains("stranger");
    }
}
