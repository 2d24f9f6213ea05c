package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.SteppedBroker.TurnedClock;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.client.UnregisterClientHeader;
import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.store.disk.CrashingDisk;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever makes the members of a group share out queues anew, those that stay are told within a second (code 40). */
class BrokerNoticesTest {
    private static final long SECOND_MS = 1_000;
    private static final long SILENCE_MS = 120_000;

    private final TurnedClock clock = new TurnedClock();
    private final AtomicInteger notices = new AtomicInteger();
    private SteppedBroker node;
    private RemotingClient stays;
    private RemotingClient leaves;

    @BeforeEach
    void start() throws Exception {
        node = new SteppedBroker(new CrashingDisk(new Random(1)), clock, 7);
        node.run(node.createTopic("T", 2));
        node.run(node.createTopic("U", 2));
        stays = node.newClient();
        stays.onRequest(HandlerTable.builder()
                .on(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, (request, reply) -> notices.incrementAndGet())
                .build());
        leaves = node.newClient();
        node.run(node.heartbeat(stays, "stays", "T"));
        node.run(node.heartbeat(leaves, "leaves", "T"));
        turn(SECOND_MS);
        turn(SECOND_MS); // they are newcomers no more
        notices.set(0);
    }

    private void turn(long ms) {
        clock.nowMs += ms;
        node.settle();
    }

    private void assertToldWithinASecond() {
        node.settle();
        turn(SECOND_MS);
        assertThat(notices).hasPositiveValue();
    }

    private void put(boolean notifies) throws Exception {
        node.putGroup(new SubscriptionGroupConfig(
                "g", true, true, true, false, 1, 16, null, 0, 1, notifies, 0, 15, null, Map.of()));
    }

    @Test
    void ofAMemberThatJoins() throws Exception {
        node.run(node.heartbeat(node.newClient(), "joins", "T"));
        assertToldWithinASecond();
    }

    @Test
    void ofAMemberThatSaysGoodbye() throws Exception {
        node.run(node.call(leaves, Rpcs.UNREGISTER_CLIENT, new UnregisterClientHeader("leaves", null, "g"), null));
        assertToldWithinASecond();
    }

    @Test
    void ofAMemberWhoseConnectionCloses() {
        leaves.close();
        assertToldWithinASecond();
    }

    @Test
    void ofAMemberThatFellSilentAndNotBeforeItsTime() throws Exception {
        turn(4 * SECOND_MS); // so that the time is up in between two sweeps
        node.run(node.heartbeat(leaves, "leaves", "T"));
        long sinceMs = clock.nowMs;
        while (clock.nowMs + SECOND_MS <= sinceMs + SILENCE_MS) {
            turn(SECOND_MS);
            node.run(node.heartbeat(stays, "stays", "T"));
            node.run(node.call(leaves, Rpcs.GET_MAX_OFFSET, new MaxOffsetHeader("T", 0, true), null));
        }
        assertThat(notices).as("its connection is alive, and its time not up").hasValue(0);
        assertToldWithinASecond();
    }

    @Test
    void ofAMemberThatSubscribesToAnotherTopicOrToOneLess() throws Exception {
        node.run(node.heartbeat(leaves, "leaves", "T", "U"));
        assertToldWithinASecond();
        notices.set(0);
        node.run(node.heartbeat(leaves, "leaves", "T"));
        assertToldWithinASecond();
    }

    @Test
    void butNotOfAHeartbeatThatSaysNothingNew() throws Exception {
        node.run(node.heartbeat(leaves, "leaves", "T"));
        turn(SECOND_MS);
        assertThat(notices).hasValue(0);
    }

    @Test
    void unlessTheGroupDoesNotWantIt() throws Exception {
        put(false);
        leaves.close();
        turn(SECOND_MS);
        assertThat(notices).hasValue(0);

        RemotingClient again = node.newClient();
        put(true);
        node.run(node.heartbeat(again, "again", "T"));
        assertToldWithinASecond();
    }

    @Test
    void unlessTheBrokerDoesNot() throws Exception {
        set("notifyConsumerIdsChangedEnable=false");
        leaves.close();
        turn(SECOND_MS);
        assertThat(notices).hasValue(0);
    }

    private RemotingClient counting(AtomicInteger told) {
        RemotingClient client = node.newClient();
        client.onRequest(HandlerTable.builder()
                .on(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, (request, reply) -> told.incrementAndGet())
                .build());
        return client;
    }

    /** A client of 5.x that has just looked looks again only when a second is over. */
    @Test
    void whoJoinsIsToldOnceMoreWhenASecondIsOver() throws Exception {
        AtomicInteger told = new AtomicInteger();
        node.run(node.heartbeat(counting(told), "joins", "T"));
        node.settle();
        assertThat(told).hasValue(1);
        notices.set(0);
        turn(SECOND_MS);
        assertThat(told).hasValue(1);
        turn(SECOND_MS / 2);
        assertThat(told).hasValue(2);
        for (int i = 0; i < 30; i++) {
            turn(SECOND_MS);
        }
        assertThat(told).hasValue(2);
        assertThat(notices).as("of those who were there").hasValue(0);
    }

    @Test
    void whoHasLeftAgainIsNotTold() throws Exception {
        AtomicInteger told = new AtomicInteger();
        RemotingClient joins = counting(told);
        node.run(node.heartbeat(joins, "joins", "T"));
        node.run(node.call(joins, Rpcs.UNREGISTER_CLIENT, new UnregisterClientHeader("joins", null, "g"), null));
        turn(SECOND_MS);
        told.set(0);
        turn(SECOND_MS);
        assertThat(told).hasValue(0);
    }

    @Test
    void aThousandThatJoinTogetherAreToldOfEachOtherAndThenOnceMore() throws Exception {
        AtomicInteger told = new AtomicInteger();
        int count = 1_000;
        for (int i = 0; i < count; i++) {
            node.run(node.heartbeat(counting(told), "member-" + i, "T"));
        }
        turn(SECOND_MS);
        node.network.runUntilIdle(Integer.MAX_VALUE);
        assertThat(told).as("of the first, and then of all").hasValue(1 + count);
        told.set(0);
        turn(SECOND_MS);
        node.network.runUntilIdle(Integer.MAX_VALUE);
        turn(SECOND_MS);
        assertThat(told).hasValue(count);
    }

    private void set(String line) throws Exception {
        assertThat(node.run(node.call(
                                node.client,
                                Rpcs.UPDATE_BROKER_CONFIG,
                                NoHeader.NONE,
                                line.getBytes(StandardCharsets.UTF_8)))
                        .code())
                .isZero();
    }
}
