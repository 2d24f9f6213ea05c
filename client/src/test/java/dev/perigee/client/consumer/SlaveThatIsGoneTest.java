package dev.perigee.client.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.listener.ConsumeResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A consumer that its master has sent to a slave. */
final class SlaveThatIsGoneTest {
    private static final long SLAVE_ID = 1;
    private static final int MANY = 300;

    @Test
    void isLeftForTheMasterLongBeforeARouteTellsOfIt() throws Exception {
        ConsumerWorld consumers = new ConsumerWorld(1);
        FakeBroker master = consumers.broker;
        FakeBroker slave = consumers.world.broker("a");
        route(consumers, Map.of(0L, master.address(), SLAVE_ID, slave.address()));
        append(master, slave, "read at the master");
        master.log().suggest(SLAVE_ID);
        slave.log().suggest(SLAVE_ID);
        List<String> got = new ArrayList<>();
        consumers.start(consumers.builder("c").listener(messages -> {
            messages.forEach(message -> got.add(message.bodyText()));
            return ConsumeResult.SUCCESS;
        }));
        consumers.run(1_000, 100);
        assertThat(slave.log().pulls()).isPositive();
        append(master, slave, "read at the slave");
        consumers.run(1_000, 100);
        assertThat(got).containsExactly("read at the master", "read at the slave");

        slave.close();
        consumers.run(1_000, 100);
        append(master, slave, "read at the master again");
        consumers.run(ClientSettings.DEFAULT_ROUTE_REFRESH_MS / 3, 100);
        assertThat(got).endsWith("read at the master again");
    }

    @Test
    void isLeftForAnotherSlaveWhileNoRouteNamesAMaster() throws Exception {
        ConsumerWorld consumers = new ConsumerWorld(1);
        FakeBroker master = consumers.broker;
        FakeBroker one = consumers.world.broker("a");
        FakeBroker two = consumers.world.broker("a");
        route(consumers, Map.of(0L, master.address(), 1L, one.address(), 2L, two.address()));
        append(master, two, "read at the master");
        List<String> got = new ArrayList<>();
        consumers.start(consumers.builder("c").listener(messages -> {
            messages.forEach(message -> got.add(message.bodyText()));
            return ConsumeResult.SUCCESS;
        }));
        consumers.run(1_000, 100);
        assertThat(got).containsExactly("read at the master");

        route(consumers, Map.of(1L, one.address(), 2L, two.address()));
        two.log().append(ConsumerWorld.TOPIC, 0, "read at the second slave", "");
        master.close();
        one.close();
        consumers.run(2 * ClientSettings.DEFAULT_ROUTE_REFRESH_MS, 100);
        assertThat(got).containsExactly("read at the master", "read at the second slave");

        for (int i = 0; i < MANY; i++) {
            two.log().append(ConsumerWorld.TOPIC, 0, "of many " + i, "");
        }
        consumers.run(2_000, 100);
        assertThat(got)
                .as("it is not left again after each batch, and its commits do not wait for the one that is gone")
                .hasSize(2 + MANY);
        consumers.run(ClientSettings.DEFAULT_ROUTE_REFRESH_MS, 100);
        assertThat(two.offsets())
                .containsEntry(ConsumerWorld.GROUP + "@" + ConsumerWorld.TOPIC + "@0", (long) got.size());
    }

    private static void route(ConsumerWorld consumers, Map<Long, String> members) {
        consumers.world.nameServer().routeToOneName(ConsumerWorld.TOPIC, 1, members);
        consumers.world.nameServer().routeToOneName("%RETRY%" + ConsumerWorld.GROUP, 1, members);
    }

    private static void append(FakeBroker master, FakeBroker slave, String body) {
        master.log().append(ConsumerWorld.TOPIC, 0, body, "");
        slave.log().append(ConsumerWorld.TOPIC, 0, body, "");
    }
}
