package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.ManualClock;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.send.SendCounters;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.Sender;
import dev.perigee.client.work.CallbackMark;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.TlsConfig;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class LanesTest {
    private final ManualClock clock = new ManualClock();
    private final ClientInstance instance = new ClientInstance(
            new ClientSettings(
                    List.of("127.0.0.1:1"),
                    "127.0.0.1",
                    "i",
                    null,
                    3_000,
                    30_000,
                    30_000,
                    1,
                    TlsConfig.OFF,
                    clock,
                    new MemoryTransport(clock),
                    ClientSettings.LoopMode.STEPPED),
            HandlerTable.empty(),
            () -> new HeartbeatData("127.0.0.1@i", Set.of(), Set.of(), 0, false));
    private final SendCounters counters = new SendCounters();
    private final ProducerConfig config = new ProducerConfig(
            "p",
            3_000,
            3,
            4,
            1 << 20,
            ProducerConfig.Batching.DEFAULT,
            ProducerConfig.Compression.DEFAULT,
            1 << 20,
            1_000,
            WhenFull.FAIL);
    private final LaneParts parts = new LaneParts(
            config,
            new Sender(instance, counters, 3, 4, 0),
            new SendMemory(1_000, 1 << 20),
            counters,
            new CallbackMark(),
            clock);
    private final Lanes lanes = new Lanes(parts);

    @Test
    void idleLanesAreRetiredWhenThereAreTooMany() {
        SendLane first = lanes.of("T", null);
        for (int i = 0; i < 10 * Lanes.KEPT; i++) {
            lanes.of("T", new MessageQueue("T", "a", i));
        }
        assertThat(lanes.count()).isLessThanOrEqualTo(Lanes.KEPT);
        assertThat(lanes.known("T", null)).isNull();
        assertThat(first.add(Message.of("T", "m"), "id", 100))
                .as("the lane is retired")
                .isNull();
    }

    @Test
    void aLaneWithMessagesStays() {
        SendLane busy = lanes.of("T", null);
        CompletableFuture<SendResult> result = busy.add(Message.of("T", "m"), "id", 100);
        assertThat(result).isNotNull();
        for (int i = 0; i < 10 * Lanes.KEPT; i++) {
            lanes.of("T", new MessageQueue("T", "a", i));
        }
        assertThat(lanes.known("T", null)).isSameAs(busy);
    }
}
