package dev.perigee.client.position;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.Completion;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class BrokerOffsetsTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);
    private static final long PATIENCE_MS = 10_000;

    private final World world = new World();
    private final FakeBroker broker = world.broker("a");

    BrokerOffsetsTest() throws Exception {}

    /** R13-01: a queue may come back while its last position waits for the answer to the one before. */
    @Test
    void aPositionIsReadBehindTheCommitsThatAreOnTheirWay() throws Exception {
        world.nameServer().route("T", 1, broker);
        ClientInstance client = world.instance("c", "p");
        world.await(client.routes().get("T"), 1_000);
        for (BrokerOffsets.Committer committer : BrokerOffsets.Committer.values()) {
            BrokerOffsets offsets = new BrokerOffsets(client, committer.name(), committer, null);
            broker.positions().holdCommits();
            Completion.unawaited(offsets.commit(Map.of(QUEUE, 5L)));
            world.settle();
            Completion.unawaited(offsets.commit(Map.of(QUEUE, 9L)));
            offsets.forget(QUEUE);
            CompletableFuture<Long> read = offsets.read(QUEUE);
            world.settle();
            assertThat(read).as("%s", committer).isNotDone();

            broker.positions().answerHeldCommits();
            assertThat(world.await(read, PATIENCE_MS)).as("%s", committer).isEqualTo(9);
        }
    }

    /** It waits for no longer than they do. */
    @Test
    void aPositionIsReadWhenACommitIsNeverAnswered() throws Exception {
        world.nameServer().route("T", 1, broker);
        ClientInstance client = world.instance("c", "p");
        world.await(client.routes().get("T"), 1_000);
        BrokerOffsets offsets = new BrokerOffsets(client, "g", BrokerOffsets.Committer.ANYBODY, null);
        broker.positions().put("g", "T", 0, 3);
        broker.positions().holdCommits();
        Completion.unawaited(offsets.commit(Map.of(QUEUE, 5L)));
        world.settle();
        assertThat(world.await(offsets.read(QUEUE), PATIENCE_MS)).isEqualTo(3);
    }
}
