package dev.perigee.namesrv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.config.ConfigException;
import dev.perigee.remoting.address.ListenPort;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NameServerConfigTest {
    private static Properties properties(String... lines) {
        Properties values = new Properties();
        for (String line : lines) {
            values.setProperty(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1));
        }
        return values;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bindAddress=here:9876       | an IP address or a host name",
                "bindAddress=1.2.3           | an IP address or a host name",
                "listenPort=65536            | a whole number from 0 to 65535",
                "metricsPromExporterPort=-1  | a whole number from 0 to 65535",
                "kvConfigPath=a\0b           | a path of this machine"
            })
    void aBadHostPortOrPathNamesKeyValueAndRange(String line, String accepted) {
        assertThatThrownBy(() -> NameServerConfig.read(properties(line)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("setting " + line + " is not accepted: wanted " + accepted);
    }

    @Test
    void everyPortIsListedWithItsSettingsAndWantedOnce() {
        NameServerConfig config =
                NameServerConfig.read(properties("metricsExporterType=PROM")).config();
        assertThat(config.ports()).extracting(ListenPort::port).containsExactly(9876, 5558);
        assertThatThrownBy(() ->
                        NameServerConfig.read(properties("metricsExporterType=PROM", "metricsPromExporterPort=9876")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("metricsPromExporterPort=9876")
                .hasMessageContaining("listenPort");
    }
}
