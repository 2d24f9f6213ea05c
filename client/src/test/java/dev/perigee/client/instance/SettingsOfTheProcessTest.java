package dev.perigee.client.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeNameServer;
import dev.perigee.client.fake.Resources;
import dev.perigee.client.producer.Producer;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.Message;
import dev.perigee.remoting.netty.EventLoops;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** NameServers named by the process and not by the code, and threads for connections: over real sockets. */
final class SettingsOfTheProcessTest {
    private static final String NOWHERE = "127.0.0.1:1";

    @RegisterExtension
    private final Resources resources = new Resources();

    private FakeNameServer nameServer;
    private FakeBroker broker;

    /** What a process of its own does: one send, to NameServers its code does not name. */
    public static final class OneSend {
        private OneSend() {}

        public static void main(String[] arguments) throws ClientException {
            try (Producer producer = Producer.builder()
                    .group("p")
                    .callTimeoutMs(30_000) // the first call of a cold process on a busy machine
                    .sendTimeoutMs(60_000)
                    .build()) {
                producer.start();
                System.out.println(producer.send(Message.of("T", "m")).queue().brokerName());
            }
        }
    }

    @BeforeEach
    void oneBroker() throws Exception {
        EventLoops loops = resources.opened(EventLoops.start("process-settings-test", 1));
        nameServer = resources.opened(new FakeNameServer(loops, Clock.system()));
        broker = resources.opened(new FakeBroker("the-broker", loops, Clock.system()));
        nameServer.route("T", 1, broker);
    }

    /** What {@link OneSend} prints in a process with this environment variable and these options. */
    private static String oneSend(String variable, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")); // it lives for a second
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), OneSend.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("NAMESRV_ADDR", variable);
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return printed;
    }

    @Test
    void nameServersAreTakenFromTheEnvironment() throws Exception {
        assertThat(oneSend(nameServer.address())).contains("the-broker");
    }

    @Test
    void theSystemPropertyIsStrongerThanTheEnvironment() throws Exception {
        assertThat(oneSend(NOWHERE, "-Drocketmq.namesrv.addr=" + nameServer.address()))
                .contains("the-broker");
    }

    @Test
    void eventLoops() throws Exception {
        Producer producer = resources.opened(Producer.builder()
                .nameServers(nameServer.address())
                .instanceName("three-loops")
                .callTimeoutMs(30_000)
                .sendTimeoutMs(60_000)
                .eventLoops(3)
                .build());
        producer.start();
        for (int i = 0; i < 3; i++) {
            FakeBroker more = resources.opened(
                    new FakeBroker("b" + i, resources.opened(EventLoops.start("b" + i, 1)), Clock.system()));
            nameServer.route("T" + i, 1, more);
            producer.send(Message.of("T" + i, "m"));
        }
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(name -> name.startsWith("perigee-client-three-loops")))
                .as("a thread for each loop that has a connection")
                .hasSizeGreaterThanOrEqualTo(3);
    }
}
