package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts, ports and names are checked before a server creates anything. */
class AddressesFirstTest {
    @TempDir
    Path folder;

    private Run broker(String... settings) {
        List<String> words = new ArrayList<>(List.of("broker", "--set", "storePathRootDir=" + folder.resolve("store")));
        for (String setting : settings) {
            words.addAll(List.of("--set", setting));
        }
        return Run.of(words.toArray(String[]::new));
    }

    private Run nameServer(String... words) {
        List<String> all = new ArrayList<>(
                List.of("namesrv", "--logs", folder.resolve("logs").toString()));
        all.addAll(List.of(words));
        return Run.of(all.toArray(String[]::new));
    }

    private Run up(String... words) {
        List<String> all =
                new ArrayList<>(List.of("up", "--data", folder.resolve("data").toString()));
        all.addAll(List.of(words));
        return Run.of(all.toArray(String[]::new));
    }

    private void refused(Run run, int exitCode, String... parts) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(exitCode);
        assertThat(run.err().lines())
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("perigee: ").contains(parts));
        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "brokerClusterName=my cluster",
                "brokerName=a/b",
                "brokerIP1=0.0.0.0",
                "brokerIP1=nobody.invalid",
                "listenPort=65536",
                "listenPort=1",
                "haListenPort=10911",
                "bindAddress=192.0.2.1",
                "bindAddress=nobody.invalid",
                "namesrvAddr=somewhere",
                "namesrvAddr=host:99999",
                "metricsPromExporterPort=65536"
            })
    void aBadSettingStopsABrokerByNameAndNothingIsCreated(String setting) {
        refused(broker(setting), ExitCode.USAGE, "setting " + setting + " is not accepted: wanted ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "brokerClusterName=my cluster",
                "brokerName=a/b",
                "listenPort=65536",
                "haListenPort=10911",
                "metricsPromExporterPort=65536"
            })
    void aBadSettingStopsUpByNameAndNothingIsCreated(String setting) {
        refused(
                up("--namesrv-port", "0", "--set", setting),
                ExitCode.USAGE,
                "setting " + setting + " is not accepted: wanted ");
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.1, an address of this machine", "1.2.3, an IP address or a host name"})
    void aHostThatUpCannotListenOnIsNamed(String host, String wanted) {
        refused(
                up("--namesrv-port", "0", "--broker-port", "0", "--host", host),
                ExitCode.USAGE,
                "--host=" + host,
                wanted);
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.1, an address of this machine", "1.2.3, an IP address or a host name"})
    void aHostThatANameServerCannotListenOnIsNamed(String host, String wanted) {
        refused(nameServer("--port", "0", "--host", host), ExitCode.USAGE, "bindAddress=" + host, wanted);
    }

    @Test
    void portsThatCollideAreNamed() {
        refused(
                up("--namesrv-port", "10909"),
                ExitCode.USAGE,
                "setting listenPort - 2=10909 is not accepted: wanted another port than that of --namesrv-port");
    }

    @Test
    void aTakenPortIsNamedWithItsSettingAndNothingIsCreated() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            String address = "cannot listen on 127.0.0.1:" + port;
            refused(
                    broker("bindAddress=127.0.0.1", "listenPort=" + port),
                    ExitCode.FAILED,
                    "the broker does not start: " + address + " (listenPort): ");
            refused(
                    nameServer("--host", "127.0.0.1", "--port", port),
                    ExitCode.FAILED,
                    "the name server does not start: " + address + " (listenPort): ");
            refused(up("--namesrv-port", port, "--broker-port", "0"), ExitCode.FAILED, address + " (--namesrv-port): ");
            refused(up("--namesrv-port", "0", "--broker-port", port), ExitCode.FAILED, address + " (listenPort): ");
            refused(
                    broker("listenPort=0", "metricsExporterType=PROM", "metricsPromExporterPort=" + port),
                    ExitCode.FAILED,
                    ":" + port + " (metricsPromExporterPort): ");
        }
    }
}
