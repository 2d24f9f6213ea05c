package dev.perigee.remoting.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.TlsMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TlsSettingsTest {
    private static Properties lines(String... lines) {
        Properties values = new Properties();
        for (String line : lines) {
            values.setProperty(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1));
        }
        return values;
    }

    private static TlsConfig server(String... lines) {
        return TlsSettings.server(new ConfigReader(lines(lines), TlsKeys.SERVER));
    }

    private static TlsConfig client(String... lines) {
        return TlsSettings.client(new ConfigReader(lines(lines), TlsKeys.CLIENT));
    }

    @Test
    void withoutAnySettingAThrowAwayCertificateIsOfferedBesidePlainText() {
        assertThat(server()).isEqualTo(TlsConfig.throwAway(TlsMode.PERMISSIVE));
        assertThat(server("tls.server.mode=disabled")).isEqualTo(TlsConfig.OFF);
        assertThat(server("tls.test.mode.enable=false")).isEqualTo(TlsConfig.OFF);
        assertThat(client()).isEqualTo(TlsConfig.OFF);
    }

    @Test
    void aConfiguredCertificateIsUsedWhateverTheTestModeSays() {
        assertThat(server("tls.server.mode=enforcing", "tls.server.certPath=/c", "tls.server.keyPath=/k"))
                .isEqualTo(TlsConfig.server(TlsMode.ENFORCING, Path.of("/c"), Path.of("/k")));
    }

    @Test
    void whatIsEnforcedAndCannotBeKeptStopsTheStartByItsKey() {
        assertThatThrownBy(() -> server("tls.server.mode=enforcing", "tls.test.mode.enable=false"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll("tls.server.mode=enforcing", "tls.server.certPath");
        assertThatThrownBy(() -> server("tls.server.certPath=/c"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll("tls.server.certPath=/c", "tls.server.keyPath");
        assertThatThrownBy(() -> server("tls.server.keyPath=/k"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll("tls.server.keyPath=/k", "tls.server.certPath");
        assertThatThrownBy(() -> server("tls.server.authClient=true"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll("tls.server.need.client.auth", "tls.server.authClient=true");
        assertThatThrownBy(() -> client("tls.enable=true", "tls.client.certPath=/c"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll("tls.client.certPath=/c", "tls.client.keyPath");
    }

    @Test
    void clientsAreVerifiedAgainstTheGivenRootsOrThoseOfTheJdk() {
        TlsConfig given = server(
                "tls.server.need.client.auth=require", "tls.server.authClient=true", "tls.server.trustCertPath=/r");
        assertThat(given.clientAuth()).isEqualTo(TlsConfig.ClientAuth.REQUIRE);
        assertThat(given.trust()).isEqualTo(TlsConfig.Trust.FILE);
        assertThat(given.trustedCertificates()).isEqualTo(Path.of("/r"));
        assertThat(server("tls.server.need.client.auth=optional", "tls.server.authClient=true")
                        .trust())
                .isEqualTo(TlsConfig.Trust.SYSTEM);
    }

    @Test
    void aClientVerifiesServersOnlyWhenToldTo() {
        assertThat(client("tls.enable=true").trust()).isEqualTo(TlsConfig.Trust.ALL);
        assertThat(client("tls.enable=true", "tls.client.authServer=true").trust())
                .isEqualTo(TlsConfig.Trust.SYSTEM);
        assertThat(client("tls.enable=true", "tls.client.authServer=true", "tls.client.trustCertPath=/r"))
                .isEqualTo(TlsConfig.clientTrusting(Path.of("/r")));
    }

    @Test
    void systemPropertiesAreStrongerThanTheConfigurationAndTheFileOfItsOwnIsWeaker(@TempDir Path folder)
            throws Exception {
        Path file = Files.writeString(
                folder.resolve("tls.properties"),
                "tls.server.certPath=/file\ntls.server.keyPath=/file\ntls.server.mode=disabled\nother=1\n");
        Properties values = lines("tls.server.mode=permissive", "tls.server.keyPath=/configuration");
        Properties system =
                lines("tls.config.file=" + file, "tls.server.mode=enforcing", "tls.client.keyPath=/x", "user=me");

        TlsSettings.addProcessSettings(values, TlsKeys.SERVER, system);

        assertThat(values)
                .isEqualTo(lines(
                        "tls.server.mode=enforcing", "tls.server.certPath=/file", "tls.server.keyPath=/configuration"));
    }

    @Test
    void aNamedFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> TlsSettings.addProcessSettings(
                        new Properties(), List.of(), lines("tls.config.file=/nowhere/tls.properties")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tls.config.file=/nowhere/tls.properties");
    }

    @Test
    void noTextShowsThePassword() {
        TlsConfig config =
                server("tls.server.certPath=/c", "tls.server.keyPath=/k", "tls.server.keyPassword=swordfish");

        assertThat(config.keyPassword()).isEqualTo("swordfish");
        assertThat(config.toString()).doesNotContain("swordfish");
    }
}
