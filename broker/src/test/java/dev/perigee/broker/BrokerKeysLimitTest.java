package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Answer;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** How many index keys one message may have. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerKeysLimitTest {
    private TestBroker broker;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new TestBroker(folder, Map.of());
        broker.send("T", 0, "there is a topic T");
    }

    @AfterAll
    void stop() throws Exception {
        broker.close();
    }

    private Answer<SendMessageResponse> send(String keys) throws Exception {
        return broker.send("T", 0, "m", "KEYS=" + keys + ";");
    }

    @Test
    void oneKeyTooManyIsRefusedWithTheLimit() throws Exception {
        assertThat(send("k ".repeat(4_095) + "k").code()).isZero();

        Answer<SendMessageResponse> refused = send("k ".repeat(4_096) + "k");
        assertThat(refused.code()).isEqualTo(ResponseCode.MESSAGE_ILLEGAL);
        assertThat(refused.remarkText()).contains("KEYS has 4097 keys, limit 4096");
    }

    @Test
    void asManyUniqueIdsAsATraceMessageCanHoldAreTaken() throws Exception {
        String ids =
                IntStream.range(0, 980).mapToObj(i -> String.format("%032X", i)).collect(Collectors.joining(" "));
        Answer<SendMessageResponse> sent = send(ids);
        assertThat(sent.code()).as(sent.remarkText()).isZero();
    }
}
