package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reset is told to members when the log has it, and not before: a crash would undo it, and they would commit it again. */
class ResetsAndTheLogTest {
    private static final String LOG = "perigee-log";
    private static final String VIEWS = "view-loop";

    private SteppedBroker broker;
    private RemotingClient tool;

    @BeforeEach
    void start() throws Exception {
        broker = new SteppedBroker(new CrashingDisk(new Random(1)), new SteppedBroker.TurnedClock(), 7);
        tool = broker.newClient();
        for (int i = 0; i < 6; i++) {
            assertThat(broker.run(broker.send("m" + i)).code()).isZero();
        }
        assertThat(broker.run(broker.heartbeat("c")).code()).isZero();
    }

    private CompletableFuture<Answer<NoHeader>> reset(long offset) {
        return broker.call(
                tool, Rpcs.INVOKE_BROKER_TO_RESET_OFFSET, new ResetOffsetHeader("T", "g", 0, true, 0, offset), null);
    }

    private CompletableFuture<Answer<PullMessageResponse>> waitingPull() {
        CompletableFuture<Answer<PullMessageResponse>> parked = broker.pull(6, 30_000);
        broker.settle();
        assertThat(parked).isNotDone();
        return parked;
    }

    private static void assertMovedTo(long offset, CompletableFuture<Answer<PullMessageResponse>> pull)
            throws Exception {
        assertThat(pull).isDone();
        assertThat(pull.get().code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(pull.get().require().nextBeginOffset()).isEqualTo(offset);
    }

    @Test
    void membersThatKeepTheirOffsetsAreToldWhenTheResetIsLogged() throws Exception {
        AtomicInteger told = new AtomicInteger();
        RemotingClient home = broker.newClient();
        home.onRequest(HandlerTable.builder()
                .on(Rpcs.RESET_CONSUMER_CLIENT_OFFSET, (request, reply) -> {
                    told.incrementAndGet();
                    reply.ok(NoHeader.NONE);
                })
                .build());
        ConsumerData keeps = new ConsumerData(
                "g",
                ConsumeType.CONSUME_PASSIVELY,
                MessageModel.BROADCASTING,
                ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET,
                Set.of(SubscriptionData.ofTags("T", "*", 1)),
                false);
        byte[] beat = Json.write(new HeartbeatData("home", Set.of(), Set.of(keeps), 0, false));
        assertThat(broker.run(broker.call(home, Rpcs.HEART_BEAT, NoHeader.NONE, beat))
                        .code())
                .isZero();

        CompletableFuture<Answer<NoHeader>> answer = reset(2);
        broker.stepNetworkOnly();
        broker.stepOnly(VIEWS);
        broker.stepNetworkOnly();
        assertThat(answer).isNotDone();
        assertThat(told).hasValue(0);
        assertThat(broker.run(answer).code()).isZero();
        broker.settle();
        assertThat(told).hasValue(1);
    }

    /** The log has 3 and then 4 when the third reset waits; a crash now leaves the group at 4. */
    @Test
    void aResetIsNotTakenForLoggedBecauseAnEarlierOneOfTheSameOffsetIs() throws Exception {
        CompletableFuture<Answer<PullMessageResponse>> parked = waitingPull();
        for (long offset : new long[] {3, 4}) {
            CompletableFuture<Answer<NoHeader>> unused = reset(offset);
            broker.stepNetworkOnly();
            broker.stepOnly(VIEWS);
        }
        CompletableFuture<Answer<NoHeader>> last = reset(3);
        broker.stepNetworkOnly();
        broker.stepOnly(LOG);
        broker.stepOnly(VIEWS);
        broker.stepNetworkOnly();
        assertThat(parked).as("the last one is not logged").isNotDone();
        assertThat(last).isNotDone();

        assertThat(broker.run(last).code()).isZero();
        broker.settle();
        assertMovedTo(3, parked);
    }
}
