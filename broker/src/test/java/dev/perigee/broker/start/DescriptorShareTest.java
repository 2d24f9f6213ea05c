package dev.perigee.broker.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.remoting.ServerConfig;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DescriptorShareTest {
    @ParameterizedTest(name = "limit {0}, {1} open, {2} expected, {3} servers: {4}")
    @CsvSource({
        "400, 100, 20, 1, 140",
        "400, 100, 20, 2, 70",
        "1024, 100, 0, 1, 462",
        "4096, 96, 100, 1, 2876",
        "65536, 100, 1000, 1, 48052",
        "65536, 100, 1000, 2, 24026",
        "1048576, 100, 1000, 1, 65536",
        "-1, 0, 0, 2, 65536",
        "9223372036854775807, 0, 10, 1, 65536",
    })
    void connectionsLeaveRoomForFiles(long limit, long open, long expected, int servers, int connections)
            throws IOException {
        assertThat(new DescriptorShare(limit, open, expected).maxConnections(servers))
                .isEqualTo(connections);
    }

    @Test
    void whereNoneIsLeftTheLimitAndItsUseAreNamed() {
        assertThatThrownBy(() -> new DescriptorShare(256, 200, 60).maxConnections(1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("256")
                .hasMessageContaining("ulimit -n")
                .hasMessageContaining("has 200")
                .hasMessageContaining("needs 60 more");
    }

    @Test
    void thisProcessKnowsItsOwn() throws IOException {
        DescriptorShare share = DescriptorShare.ofProcess(0);
        assertThat(share.open()).isBetween(1L, share.limit());
        assertThat(share.maxConnections(1)).isBetween(1, ServerConfig.DEFAULT_MAX_CONNECTIONS);
    }
}
