package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.SteppedBroker.TurnedClock;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The view loop never waits for the disk to find where a new group starts, not even when a queue lies in files only. */
class StartsWithoutFilesTest {
    /** Whole blocks, so that nothing of the queue is in memory after a restart. */
    private static final int MESSAGES = 2_048;

    private final TurnedClock clock = new TurnedClock();
    private final List<String> opened = new ArrayList<>();

    private final ForwardingDisk disk = new ForwardingDisk(new CrashingDisk(new Random(1))) {
        @Override
        public DiskFile open(String name) throws IOException {
            opened.add(name);
            return super.open(name);
        }

        @Override
        public DiskFile openRead(String name) throws IOException {
            opened.add(name);
            return super.openRead(name);
        }
    };

    private void sendAll(SteppedBroker node) throws Exception {
        List<CompletableFuture<Answer<SendMessageResponse>>> sends = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            sends.add(node.send("m"));
        }
        for (CompletableFuture<Answer<SendMessageResponse>> send : sends) {
            assertThat(node.run(send).code()).isZero();
        }
    }

    @Test
    void theEndOfAQueueThatLiesInFilesIsFoundWithoutReadingThem() throws Exception {
        SteppedBroker before = new SteppedBroker(disk, clock, 7);
        sendAll(before);
        before.broker.close();

        SteppedBroker node = new SteppedBroker(disk, clock, 8);
        CompletableFuture<? extends Answer<?>> heartbeat = node.heartbeat("c1");
        node.stepNetworkOnly();
        opened.clear();
        node.stepOnly("view-loop");
        node.stepOnly("perigee-log");
        node.stepOnly("view-loop");
        assertThat(opened).noneMatch(name -> name.startsWith("consumequeue"));

        assertThat(node.run(heartbeat).code()).isZero();
        assertThat(node.run(node.offset("T")).require().offset()).isEqualTo(MESSAGES);
    }

    @Test
    void anEndThatManyMessagesHavePassedMeanwhileIsFoundAllTheSame() throws Exception {
        SteppedBroker node = new SteppedBroker(disk, clock, 7);
        assertThat(node.run(node.send("first")).code()).isZero();
        CompletableFuture<Answer<SendMessageResponse>> second = node.send("second");
        node.stepNetworkOnly();
        node.stepAllBut("view-loop"); // stored, and not seen by the views
        node.stepNetworkOnly();
        assertThat(second).isDone();
        CompletableFuture<? extends Answer<?>> heartbeat = node.heartbeat("c1");
        node.stepNetworkOnly();
        for (int i = 0; i < MESSAGES; i++) {
            CompletableFuture<?> unused = node.send("m");
            node.network.step();
        }
        node.stepNetworkOnly();
        node.stepAllBut("view-loop");
        node.stepOnly("view-loop"); // past the heartbeat's place, and far on, at one go

        while (!heartbeat.isDone()) { // a cold reader may have to read it
            node.step();
        }
        assertThat(heartbeat.get().code()).isZero();
        assertThat(node.run(node.offset("T")).require().offset()).isEqualTo(2);
    }
}
