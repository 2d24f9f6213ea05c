package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.remoting.memory.MemoryTransport;
import org.junit.jupiter.api.Test;

final class FailedStartTest {
    private static final int PORT = 10_911;

    private final ManualClock clock = new ManualClock();
    private final MemoryTransport network = new MemoryTransport(clock);

    @Test
    void noPortStaysOpenWhateverTheStartFailsOf() {
        ServerConfig config = ServerConfig.of("127.0.0.1", PORT, PORT - 2);
        RemotingServer server = new RemotingServer(
                config, HandlerTable.empty(), new FailingTransport(network, FailingTransport.Step.SECOND_BIND), clock);

        assertThatThrownBy(server::start).isInstanceOf(IllegalStateException.class);

        RemotingServer next = new RemotingServer(config, HandlerTable.empty(), network, clock);
        assertThatCode(next::start).doesNotThrowAnyException();
    }
}
