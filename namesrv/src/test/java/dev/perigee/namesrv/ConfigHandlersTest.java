package dev.perigee.namesrv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.config.ChangedSettings;
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
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A change of settings is answered whatever happens while it is kept. */
class ConfigHandlersTest {
    private static final int MANY_STEPS = 10_000;

    /** A place whose file system fails in a way nobody foresaw. */
    private static final class Broken implements ChangedSettings.Place {
        @Override
        public Optional<byte[]> read(int maxBytes) {
            return Optional.empty();
        }

        @Override
        public void replace(byte[] bytes) {
            throw new IllegalStateException("the provider of the file system is gone");
        }
    }

    private final ShiftedClock clock = new ShiftedClock();
    private final MemoryTransport network = new MemoryTransport(clock);
    private final Deque<Runnable> writer = new ArrayDeque<>();

    @Test
    void aChangeThatFailsUnforeseenIsAnsweredAndTheWriterGoesOn() throws Exception {
        NameServerConfig config = NameServerConfig.defaults();
        LiveSwitches switches =
                new LiveSwitches(config.switches(), new ChangedSettings(new Broken(), "name server", "a test"));
        HandlerTable.Builder handlers = HandlerTable.builder();
        new ConfigHandlers(config, switches, writer::add).addTo(handlers);
        RemotingServer server = new RemotingServer(ServerConfig.of("127.0.0.1", 0), handlers.build(), network, clock);
        server.start();
        RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, clock);

        CompletableFuture<Answer<NoHeader>> answer = client.call(
                "127.0.0.1:" + server.boundPort(),
                Rpcs.UPDATE_NAMESRV_CONFIG,
                NoHeader.NONE,
                "orderMessageEnable=true".getBytes(StandardCharsets.UTF_8),
                Deadline.after(clock, 60_000));
        network.runUntilIdle(MANY_STEPS);
        writer.remove().run();
        network.runUntilIdle(MANY_STEPS);

        assertThat(answer).isCompleted();
        assertThat(answer.get().code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(answer.get().remark()).contains("the provider of the file system is gone");
        assertThat(switches.get()).isEqualTo(config.switches());
    }
}
