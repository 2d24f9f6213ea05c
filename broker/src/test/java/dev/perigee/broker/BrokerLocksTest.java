package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.SteppedBroker.TurnedClock;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.client.QueueLockResult;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two members of one group that want the lock of one queue: how long it is whose, and who is told when it is free. */
class BrokerLocksTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "broker-a", 0);
    private static final long HOUR_MS = 3_600_000;

    private final TurnedClock clock = new TurnedClock();
    private final AtomicInteger noticesOfSecond = new AtomicInteger();
    private SteppedBroker node;
    private RemotingClient first;
    private RemotingClient second;

    @BeforeEach
    void start() throws Exception {
        node = new SteppedBroker(new CrashingDisk(new Random(1)), clock, 7);
        node.run(node.createTopic("T", 2));
        first = node.newClient();
        second = node.newClient();
        second.onRequest(HandlerTable.builder()
                .on(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, (request, reply) -> noticesOfSecond.incrementAndGet())
                .build());
        node.run(node.heartbeat(first, "c1", "T"));
    }

    private Set<MessageQueue> lock(RemotingClient by, String clientId) throws Exception {
        byte[] body = Json.write(new QueueLockRequest("g", clientId, false, Set.of(QUEUE), null));
        Answer<NoHeader> answer = node.run(node.call(by, Rpcs.LOCK_BATCH_MQ, NoHeader.NONE, body));
        return Json.read(answer.body(), QueueLockResult.class).lockedQueues();
    }

    private void unlock(RemotingClient by, String clientId) throws Exception {
        byte[] body = Json.write(new QueueLockRequest("g", clientId, false, Set.of(QUEUE), null));
        assertThat(node.run(node.call(by, Rpcs.UNLOCK_BATCH_MQ, NoHeader.NONE, body))
                        .code())
                .isZero();
    }

    private int notices() {
        node.settle();
        return noticesOfSecond.get();
    }

    private void turn(long ms) {
        clock.nowMs += ms;
        node.settle();
    }

    @Test
    void whoWasRefusedALockIsToldWhenItsHolderGivesItUp() throws Exception {
        node.run(node.heartbeat(second, "c2", "T"));
        turn(1_000);
        assertThat(lock(first, "c1")).containsExactly(QUEUE);
        assertThat(lock(second, "c2")).isEmpty();
        turn(1_000);
        int before = notices();
        unlock(first, "c1");
        assertThat(notices()).isEqualTo(before + 1);
        assertThat(lock(second, "c2")).containsExactly(QUEUE);
        turn(1_000);
        unlock(second, "c2");
        assertThat(notices()).as("nobody else wants it").isEqualTo(before + 1);
    }

    @Test
    void whoWasRefusedALockIsToldWithinASecondOfItsExpiryAndNotBefore() throws Exception {
        node.run(node.heartbeat(second, "c2", "T"));
        turn(1_000);
        assertThat(lock(first, "c1")).containsExactly(QUEUE);
        first.close(); // which does not free the lock: its listener may still be running
        node.settle();
        turn(40_000);
        assertThat(lock(second, "c2")).isEmpty();
        int before = notices();
        for (int i = 0; i < 20; i++) {
            turn(1_000);
            assertThat(notices()).isEqualTo(before);
            node.run(node.heartbeat(second, "c2", "T"));
        }
        turn(1_000);
        assertThat(notices()).isEqualTo(before + 1);
        assertThat(lock(second, "c2")).containsExactly(QUEUE);
    }

    @Test
    void aWallClockThatIsSetNeitherEndsALockNorKeepsIt() throws Exception {
        node.run(node.heartbeat(second, "c2", "T"));
        assertThat(lock(first, "c1")).containsExactly(QUEUE);
        clock.setByMs += HOUR_MS;
        turn(1);
        assertThat(lock(second, "c2")).as("an hour later by the wall clock").isEmpty();
        clock.setByMs -= 2 * HOUR_MS;
        turn(60_001);
        assertThat(lock(second, "c2")).as("an hour earlier by the wall clock").containsExactly(QUEUE);
    }

    @Test
    void aDeletedTopicLeavesNoLock() throws Exception {
        lock(first, "c1");
        node.run(node.delete());
        node.run(node.createTopic("T", 2));
        node.run(node.heartbeat(second, "c2", "T"));
        assertThat(lock(second, "c2")).containsExactly(QUEUE);
    }
}
