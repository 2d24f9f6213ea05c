package dev.perigee.client.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a client has said that its producers are gone, no heartbeat brings them back. */
final class GoodbyeTest {
    private static final String GROUP = "p";

    private World world;
    private FakeBroker broker;
    private ClientInstance client;

    @BeforeEach
    void aClientThatKnowsARoute() throws Exception {
        world = new World();
        broker = world.broker("a");
        world.nameServer().route("T", 1, broker);
        client = world.instance("i", GROUP);
        world.await(client.routes().get("T"), 1_000);
    }

    private void goodbye() {
        CompletableFuture<Void> left = client.unregister(GROUP, null);
        world.settle();
        assertThat(left).isCompleted();
        assertThat(broker.producers().isMember(GROUP)).isFalse();
    }

    @Test
    void aHeartbeatThatWaitsForItsConnectionToOpenIsNotSentAnyMore() {
        CompletableFuture<Void> beat = client.heartbeats().beatAll();
        goodbye();
        assertThat(beat).isCompleted();
    }

    @Test
    void oneThatIsOnItsWayIsUndone() {
        client.heartbeats().beatSoon();
        world.settle();
        assertThat(broker.producers().isMember(GROUP)).isTrue();
        CompletableFuture<Void> beat = client.heartbeats().beatAll();
        goodbye();
        assertThat(beat).isCompleted();
    }

    @Test
    void noneFollowsLater() {
        client.heartbeats().beatSoon();
        world.settle();
        goodbye();
        world.run(2 * ClientSettings.DEFAULT_HEARTBEAT_MS, 1_000);
        assertThat(broker.producers().isMember(GROUP)).isFalse();
    }
}
