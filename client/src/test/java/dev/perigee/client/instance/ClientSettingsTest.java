package dev.perigee.client.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.ProducerWorld;
import dev.perigee.client.fake.World;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.ProducerBuilder;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.message.Message;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The settings all builders share do what they say; seen on a producer. */
final class ClientSettingsTest {
    private ProducerWorld all;
    private World world;
    private FakeBroker broker;

    @BeforeEach
    void oneBroker() throws Exception {
        all = new ProducerWorld(1);
        world = all.world();
        broker = all.broker();
    }

    private Producer start(UnaryOperator<ProducerBuilder> settings) {
        return all.start(settings.apply(world.in(Producer.builder()).random(new Random(1))));
    }

    @Test
    void clientIdIsMadeOfAddressInstanceAndUnit() {
        assertThat(start(b -> b.clientIp("10.1.2.3").instanceName("i").unitName("u"))
                        .clientId())
                .isEqualTo("10.1.2.3@i@u");
        assertThat(start(b -> b.clientIp("10.1.2.3").instanceName("i")).clientId())
                .isEqualTo("10.1.2.3@i");
        String one = start(b -> b).clientId();
        world.clock().advanceMs(1);
        assertThat(start(b -> b).clientId()).as("unique by default").isNotEqualTo(one);
    }

    @Test
    void nameServersAreAskedWhicheverWayTheListIsWritten() {
        String address = world.nameServer().address();
        for (String list : new String[] {address, " http://" + address + " ; ", address + "," + address}) {
            CompletableFuture<SendResult> result =
                    start(b -> b.nameServers(list)).sendAsync(Message.of("T", "m"));
            assertThat(world.await(result, 3_000).queue().brokerName()).as(list).isEqualTo("a");
        }
        CompletableFuture<SendResult> nowhere = start(b -> b.nameServers("")).sendAsync(Message.of("T", "m"));
        assertThat(nowhere.handle((sent, failure) -> String.valueOf(failure)).join())
                .contains("no NameServer is configured")
                .contains("remainingMs=3000");
    }

    @Test
    void callTimeoutEndsAQuestionThatHasNoDeadlineOfItsOwn() {
        world.nameServer().hold(1);
        CompletableFuture<SendResult> result =
                start(b -> b.callTimeoutMs(400).sendTimeoutMs(60_000)).sendAsync(Message.of("T", "m"));
        world.run(390, 10);
        assertThat(world.nameServer().timesAsked()).isEqualTo(1);
        world.run(300, 10);
        assertThat(world.nameServer().timesAsked()).as("asked again").isEqualTo(2);
        assertThat(world.await(result, 1_000).queue().brokerName()).isEqualTo("a");
    }

    @Test
    void routesAreRefreshedAtTheirPeriod() {
        Producer producer = start(b -> b.routeRefreshMs(5_000));
        world.await(producer.sendAsync(Message.of("T", "m")), 1_000);
        int asked = world.nameServer().timesAsked();
        world.run(4_900, 100);
        assertThat(world.nameServer().timesAsked()).isEqualTo(asked);
        world.run(200, 100);
        assertThat(world.nameServer().timesAsked()).isEqualTo(asked + 1);
    }

    @Test
    void heartbeatsAreSentAtTheirPeriod() {
        AtomicInteger heartbeats = new AtomicInteger();
        Producer producer = start(b -> b.heartbeatMs(7_000));
        world.await(producer.sendAsync(Message.of("T", "m")), 1_000);
        broker.onHeartbeat(heartbeats::incrementAndGet);
        world.run(6_900, 100);
        assertThat(heartbeats).hasValue(0);
        world.run(200, 100);
        assertThat(heartbeats).hasValue(1);
    }

    @Test
    void everySettingOutOfItsRangeIsNamed() {
        assertThatThrownBy(() -> start(b -> b.callTimeoutMs(0))).hasMessageContaining("callTimeoutMs=0");
        assertThatThrownBy(() -> start(b -> b.routeRefreshMs(0))).hasMessageContaining("routeRefreshMs=0");
        assertThatThrownBy(() -> start(b -> b.heartbeatMs(-1))).hasMessageContaining("heartbeatMs=-1");
        assertThatThrownBy(() -> start(b -> b.eventLoops(0))).hasMessageContaining("eventLoops=0");
        assertThatThrownBy(() -> start(b -> b.clientIp(" "))).hasMessageContaining("clientIp= ");
        assertThatThrownBy(() -> start(b -> b.instanceName(""))).hasMessageContaining("instanceName=");
    }
}
