package dev.perigee.broker.offset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.fact.AppliedLog;
import dev.perigee.broker.fact.Claims;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.queue.QueueConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whatever many clients ask at once, what waits here is bounded, and the one too many is told so. */
class OffsetCommitsTest {
    private static final AppliedLog LEVEL = new AppliedLog() {
        @Override
        public long confirmOffset() {
            return 0;
        }

        @Override
        public long appliedOffset() {
            return 0;
        }

        @Override
        public boolean whenApplied(long offset, Runnable task) {
            task.run();
            return true;
        }
    };

    private final FactDesk desk = new FactDesk((fact, listener) -> {}, LEVEL, () -> {});
    private final OffsetCommits commits = new OffsetCommits(
            new OffsetView(Claims.NONE),
            new TopicView(Claims.NONE),
            new ConsumeQueueView(new CrashingDisk(new Random(1)), QueueConfig.DEFAULT, (offset, sizeBytes) -> 0),
            desk,
            (fact, listener) -> {});

    @Test
    void commitsOfTooManyQueuesAreRefusedButThoseThatWaitAlreadyMayChange() {
        for (int queueId = 0; queueId < OffsetCommits.MAX_PENDING; queueId++) {
            assertThat(commits.set("g", "T", queueId, 1)).isTrue();
        }
        assertThat(commits.set("g", "T", OffsetCommits.MAX_PENDING, 1)).isFalse();
        assertThat(commits.set("g", "T", 7, 2)).isTrue();
        assertThat(commits.newest("g", "T", 7)).isEqualTo(2);
        commits.forgetTopic("T");
        assertThat(commits.set("g", "T", OffsetCommits.MAX_PENDING, 1)).isTrue();
    }

    @Test
    void tooManyRequestsThatWaitForTheLogAreAnsweredBusy() throws Exception {
        MemoryTransport network = new MemoryTransport(Clock.system());
        RemotingServer server = new RemotingServer(
                ServerConfig.of("127.0.0.1", 0),
                HandlerTable.builder()
                        .on(
                                Rpcs.CLEAN_UNUSED_TOPIC,
                                (request, reply) -> commits.flush(reply, () -> reply.ok(NoHeader.NONE)))
                        .build(),
                network,
                Clock.system());
        server.start();
        RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, Clock.system());
        List<CompletableFuture<Answer<NoHeader>>> answers = new ArrayList<>();
        for (int i = 0; i <= OffsetCommits.MAX_ASKING; i++) {
            answers.add(client.call(
                    "127.0.0.1:" + server.boundPort(),
                    Rpcs.CLEAN_UNUSED_TOPIC,
                    NoHeader.NONE,
                    null,
                    Deadline.after(Clock.system(), 60_000)));
            network.runUntilIdle(1_000);
        }
        assertThat(answers.get(0)).isNotDone();
        Answer<NoHeader> refused = answers.get(OffsetCommits.MAX_ASKING).get();
        assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(refused.remarkText()).contains("too many offsets");

        commits.doWork(0);
        network.runUntilIdle(100_000);
        assertThat(answers).allMatch(CompletableFuture::isDone);
        assertThat(answers.get(0).get().code()).isZero();
    }
}
