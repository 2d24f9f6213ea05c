package dev.perigee.broker;

import static dev.perigee.broker.BadInputBroker.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What senders and readers see while the disk is full, its fsync is slow, or the log cannot keep up. */
class BrokerUnderPressureTest {
    private static final int MORE_THAN_ANY_INBOX = 1_000_000;

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private SteppedBroker broker;

    @BeforeEach
    void start() throws Exception {
        broker = new SteppedBroker(disk, clock, 7);
        assertThat(broker.run(broker.send("first")).code()).isZero();
    }

    private void passSpaceChecks() {
        for (int i = 0; i < 5; i++) {
            clock.nowMs += 1_000;
            broker.settle();
        }
    }

    @Test
    void aFullDiskRefusesWritesAndServesReadsUntilThereIsSpaceAgain() throws Exception {
        long before = disk.freeBytes();
        disk.freeBytes(100);
        passSpaceChecks();
        long end = broker.broker.logEndOffset();

        for (String topic : List.of("T", "Unknown")) {
            Answer<SendMessageResponse> answer = broker.run(broker.send(topic, 0, "refused"));
            assertRefused(
                    answer,
                    ResponseCode.SERVICE_NOT_AVAILABLE,
                    "the disk is nearly full",
                    "% are used, 100 of ",
                    " bytes are free, limit ",
                    "minFreeDiskBytes=",
                    "minFreeDiskPercent=5");
            assertThat(answer.require().region()).isEqualTo("DefaultRegion");
        }
        assertThat(broker.broker.logEndOffset()).isEqualTo(end);
        assertThat(describe("Unknown")).isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
        assertThat(TestBroker.bodies(broker.run(broker.pull(0, 0)))).containsExactly("first");

        disk.freeBytes(before);
        passSpaceChecks();
        assertThat(broker.run(broker.send("second")).code()).isZero();
        assertThat(TestBroker.bodies(broker.run(broker.pull(0, 0)))).containsExactly("first", "second");
    }

    private int describe(String topic) throws Exception {
        return broker.run(broker.call(broker.client, Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader(topic, null), null))
                .code();
    }

    @Test
    void anFsyncSlowerThanTheLimitIsAnsweredTenWithThePlaceOfTheMessage() throws Exception {
        CompletableFuture<Answer<SendMessageResponse>> send = broker.send("slow");
        broker.stepNetworkOnly();
        broker.stepOnly("perigee-log");
        assertThat(broker.broker.logEndOffset()).isPositive();
        clock.nowMs += 5_001;
        broker.stepOnly("perigee-log");
        broker.stepNetworkOnly();

        assertThat(send).isDone();
        Answer<SendMessageResponse> answer = send.get();
        assertRefused(answer, ResponseCode.FLUSH_DISK_TIMEOUT, "stored", "syncFlushTimeout");
        assertThat(answer.require().queueOffset()).isEqualTo(1);
        assertThat(answer.require().msgId()).isNotEmpty();
        assertThat(TestBroker.bodies(broker.run(broker.pull(0, 0))))
                .as("seen when its fsync has ended")
                .containsExactly("first", "slow");
    }

    @Test
    void aFullInboxRefusesSendsAtOnceAndKeepsThoseItTook() throws Exception {
        List<CompletableFuture<Answer<SendMessageResponse>>> sends = new ArrayList<>();
        for (int i = 0; i < MORE_THAN_ANY_INBOX && sends.stream().noneMatch(CompletableFuture::isDone); i += 1_000) {
            for (int j = 0; j < 1_000; j++) {
                sends.add(broker.send("m"));
            }
            broker.network.runUntilIdle(100_000); // the log loop stands still
        }
        List<CompletableFuture<Answer<SendMessageResponse>>> refused =
                sends.stream().filter(CompletableFuture::isDone).toList();
        assertThat(refused).isNotEmpty();
        for (CompletableFuture<Answer<SendMessageResponse>> send : refused) {
            assertRefused(send.get(), ResponseCode.SYSTEM_BUSY, "broker busy", "the queue in front of the log is full");
        }
        sends.removeIf(CompletableFuture::isDone);
        for (CompletableFuture<Answer<SendMessageResponse>> send : sends) {
            assertThat(broker.run(send).code()).isZero();
        }
        assertThat(broker.run(broker.pull(0, 0)).require().maxOffset()).isEqualTo(1 + sends.size());
        assertThat(broker.run(broker.send("again")).code()).isZero();
    }
}
