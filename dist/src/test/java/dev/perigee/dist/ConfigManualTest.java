package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerKeys;
import dev.perigee.loop.config.SettingTable;
import dev.perigee.namesrv.NameServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The manual's list of settings is made from the settings themselves; the environment variable {@code PERIGEE_DOCS_WRITE=true} writes it anew. */
final class ConfigManualTest {
    private static final Path MANUAL = Path.of("..", "docs", "config.md");

    @Test
    void theManualListsEverySettingAsItIs() throws IOException {
        String wanted = "# Settings\n\n"
                + "Made from the settings in the code by `ConfigManualTest`; do not edit. Keys keep RocketMQ's spelling. An unknown key is named in a\n"
                + "warning; a value outside what is accepted stops the start.\n\n"
                + "## Broker\n\n" + SettingTable.markdown(BrokerKeys.all())
                + "\n## NameServer\n\n" + SettingTable.markdown(NameServerConfig.SETTINGS);
        if ("true".equals(System.getenv("PERIGEE_DOCS_WRITE"))) {
            Files.writeString(MANUAL, wanted);
        }
        assertThat(MANUAL).content().isEqualTo(wanted);
    }
}
