package dev.perigee.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.World;
import dev.perigee.client.instance.ClientInstance;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often a route is looked at while calls fail all the time; in the time of a world. */
final class RouteLooksTest {
    private static final String TOPIC = "T";
    private static final String ONE = "127.0.0.1:1";
    private static final String TWO = "127.0.0.1:2";
    private static final long STEP_MS = 50;

    private World world;
    private ClientInstance instance;
    private RouteLooks looks;

    @BeforeEach
    void aRoute() throws Exception {
        world = new World();
        instance = world.instance("i");
        looks = new RouteLooks(instance.routes(), world.clock());
        route(Map.of(0L, ONE, 1L, TWO));
        assertThat(world.await(instance.routes().get(TOPIC), 1_000).topic()).isEqualTo(TOPIC);
    }

    private void route(Map<Long, String> members) {
        world.nameServer().routeToOneName(TOPIC, 1, members);
    }

    /** How often the NameServer is asked meanwhile. */
    private int askedWhileCallsFail(long ms) {
        int before = world.nameServer().timesAsked();
        for (long passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
            looks.failed(ONE, TOPIC);
            world.run(STEP_MS, STEP_MS);
        }
        return world.nameServer().timesAsked() - before;
    }

    @Test
    void aRouteThatStaysTheSameIsLookedAtEverMoreSeldom() {
        assertThat(askedWhileCallsFail(3_000)).as("soon").isBetween(4, 6);
        assertThat(askedWhileCallsFail(10_000)).as("each second").isBetween(9, 11);
        assertThat(askedWhileCallsFail(10_000)).as("meanwhile").isLessThan(9);
        assertThat(askedWhileCallsFail(100_000))
                .as("each five seconds, and in each round")
                .isBetween(18, 26);
    }

    @Test
    void aRouteThatChangedIsLookedAtSoonAgain() {
        askedWhileCallsFail(60_000);
        route(Map.of(0L, TWO, 1L, ONE));
        askedWhileCallsFail(RouteLooks.LONG_PAUSE_MS + STEP_MS);
        assertThat(instance.routes().masterAddress("a")).contains(TWO);
        route(Map.of(0L, ONE, 1L, TWO));
        askedWhileCallsFail(RouteLooks.FRESH_PAUSE_MS + 2 * STEP_MS);
        assertThat(instance.routes().masterAddress("a")).contains(ONE);
    }

    @Test
    void whereCallsDidNotFailForAWhileARouteIsLookedAtSoonAgain() {
        askedWhileCallsFail(60_000);
        world.run(RouteLooks.LONG_PAUSE_MS + RouteLooks.QUIET_MS, 100);
        askedWhileCallsFail(STEP_MS);
        route(Map.of(0L, TWO, 1L, ONE));
        askedWhileCallsFail(RouteLooks.FRESH_PAUSE_MS + 2 * STEP_MS);
        assertThat(instance.routes().masterAddress("a")).contains(TWO);
    }
}
