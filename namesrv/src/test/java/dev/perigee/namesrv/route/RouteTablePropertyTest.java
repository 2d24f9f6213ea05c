package dev.perigee.namesrv.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.namesrv.route.Registration.ActingMaster;
import dev.perigee.namesrv.route.Registration.Extent;
import dev.perigee.protocol.topic.DataVersion;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTablePropertyTest {
    private static final int STEPS = 500;
    private static final List<String> TOPICS = List.of("T0", "T1", "T2", "T3", "T4");
    private static final List<Object> LINKS = List.of("link0", "link1", "link2");

    private static BrokerIdentity anyBroker(Random random) {
        int name = random.nextInt(3);
        int id = random.nextInt(2);
        // An address belongs to one name but may serve under either id, so roles switch.
        return new BrokerIdentity("c", "broker-" + name, id, "10.0." + name + "." + random.nextInt(2) + ":10911");
    }

    private static Registration anyRegistration(Random random) {
        Map<String, QueueSetting> topics = new HashMap<>();
        for (String topic : TOPICS) {
            if (random.nextBoolean()) {
                topics.put(topic, new QueueSetting(1 + random.nextInt(3), 1 + random.nextInt(3), 6, 0));
            }
        }
        return new Registration(
                anyBroker(random),
                "ha",
                1 + random.nextInt(100),
                random.nextBoolean() ? ActingMaster.OFF : ActingMaster.UNKNOWN,
                new DataVersion(0, 0, random.nextInt(3)),
                topics,
                random.nextBoolean() ? Extent.COMPLETE : Extent.UNSAID,
                "",
                LINKS.get(random.nextInt(LINKS.size())));
    }

    private static void step(Random random, long nowMs, RouteTable table, PlainRoutes plain) {
        switch (random.nextInt(9)) {
            case 0 -> {
                BrokerIdentity broker = anyBroker(random);
                table.unregister(broker);
                plain.unregister(broker);
            }
            case 1 -> {
                Object link = LINKS.get(random.nextInt(LINKS.size()));
                table.linkClosed(link);
                plain.linkClosed(link);
            }
            case 2 -> {
                table.expire(nowMs);
                plain.expire(nowMs);
            }
            case 3 -> {
                String name = anyBroker(random).brokerName();
                boolean writable = random.nextBoolean();
                if (writable) {
                    table.addWritePerm(name);
                } else {
                    table.wipeWritePerm(name);
                }
                plain.setPerm(name, writable);
            }
            case 4 -> {
                String topic = TOPICS.get(random.nextInt(TOPICS.size()));
                table.deleteTopic(topic);
                plain.deleteTopic(topic);
            }
            default -> {
                Registration registration = anyRegistration(random);
                table.register(registration, false, nowMs);
                plain.register(registration, nowMs);
            }
        }
    }

    private static Map<String, Map<String, QueueSetting>> routesOf(RouteTable table) {
        Map<String, Map<String, QueueSetting>> routes = new TreeMap<>();
        table.topics()
                .forEach(topic ->
                        routes.put(topic, table.route(topic).orElseThrow().queues()));
        return routes;
    }

    private static Map<String, Map<Long, String>> addressesOf(RouteTable table) {
        Map<String, Map<Long, String>> addresses = new TreeMap<>();
        table.groups().forEach((name, group) -> addresses.put(name, group.addresses()));
        return addresses;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void afterEveryStepTheTableEqualsAPlainListOfRows(long seed) {
        Random random = new Random(seed);
        RouteTable table = new RouteTable();
        PlainRoutes plain = new PlainRoutes();
        long nowMs = 0;
        for (int i = 0; i < STEPS; i++) {
            nowMs += random.nextInt(20);
            step(random, nowMs, table, plain);
            assertThat(routesOf(table)).as("routes, seed %d step %d", seed, i).isEqualTo(plain.routes());
            assertThat(addressesOf(table))
                    .as("addresses, seed %d step %d", seed, i)
                    .isEqualTo(plain.addresses());
            assertThat(table.clusters().getOrDefault("c", new java.util.TreeSet<>()))
                    .as("cluster, seed %d step %d", seed, i)
                    .isEqualTo(plain.addresses().keySet());
        }
    }

    @Test
    void aReaderNeverSeesQueuesOfABrokerWithoutAnAddress() {
        RouteTable table = new RouteTable();
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Long> reader = CompletableFuture.supplyAsync(() -> {
            long seen = 0;
            do { // at least once, also where the reader has its first turn when all is over
                for (String topic : TOPICS) {
                    TopicRoute route = table.route(topic).orElse(null);
                    if (route != null) {
                        seen++;
                        assertThat(route.brokers())
                                .isNotEmpty()
                                .noneMatch(group -> group.addresses().isEmpty());
                        assertThat(route.queues().keySet())
                                .containsExactlyElementsOf(route.brokers().stream()
                                        .map(BrokerGroup::brokerName)
                                        .toList());
                    }
                }
            } while (!done.get());
            return seen;
        });
        Random random = new Random(42);
        PlainRoutes ignored = new PlainRoutes();
        for (int i = 0; i < 20_000; i++) {
            step(random, i, table, ignored);
        }
        done.set(true);
        assertThat(reader.join()).isPositive();
    }
}
