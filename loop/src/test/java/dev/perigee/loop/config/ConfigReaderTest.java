package dev.perigee.loop.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class ConfigReaderTest {
    private enum Flush {
        SYNC_FLUSH,
        ASYNC_FLUSH
    }

    private static final Setting<Integer> PORT =
            Setting.ofInt("listenPort", 10911, 0, 65535).doc("Port for clients.");
    private static final Setting<Flush> FLUSH = Setting.ofEnum("flushDiskType", Flush.SYNC_FLUSH);
    private static final Setting<Boolean> AUTO = Setting.ofBoolean("autoCreateTopicEnable", true);
    private static final Setting<Long> TIMEOUT =
            Setting.ofLong("timeout", 5000, 1, Long.MAX_VALUE).unit("ms").doc("Either | or.");
    private static final List<Setting<?>> ALL = List.of(PORT, FLUSH, AUTO, TIMEOUT);

    private static ConfigReader reader(String... keysAndValues) {
        Properties properties = new Properties();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            properties.setProperty(keysAndValues[i], keysAndValues[i + 1]);
        }
        return new ConfigReader(properties, ALL);
    }

    @Test
    void givesDefaultsForAbsentAndBlankKeys() {
        ConfigReader reader = reader("flushDiskType", " ");
        assertThat(reader.get(PORT)).isEqualTo(10911);
        assertThat(reader.get(FLUSH)).isEqualTo(Flush.SYNC_FLUSH);
        assertThat(reader.has(FLUSH)).isFalse();
    }

    @Test
    void readsValuesOfEveryKindWithBlanksAround() {
        ConfigReader reader = reader(
                "listenPort", " 1 ", "flushDiskType", "async_flush", "autoCreateTopicEnable", "FALSE", "timeout", "7");
        assertThat(reader.get(PORT)).isEqualTo(1);
        assertThat(reader.get(FLUSH)).isEqualTo(Flush.ASYNC_FLUSH);
        assertThat(reader.get(AUTO)).isFalse();
        assertThat(reader.get(TIMEOUT)).isEqualTo(7L);
    }

    @Test
    void namesUnknownKeysSorted() {
        assertThat(reader("zeta", "1", "listenPort", "1", "alpha", "2").unknownKeys())
                .containsExactly("alpha", "zeta");
    }

    @Test
    void refusesABadValueNamingKeyValueAndRange() {
        assertThatThrownBy(() -> reader("listenPort", "70000").get(PORT))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("listenPort=70000")
                .hasMessageContaining("0 to 65535");
        assertThatThrownBy(() -> reader("listenPort", "x").get(PORT)).isInstanceOf(ConfigException.class);
        assertThatThrownBy(() -> reader("autoCreateTopicEnable", "yes").get(AUTO))
                .hasMessageContaining("true or false");
        assertThatThrownBy(() -> reader("flushDiskType", "never").get(FLUSH))
                .hasMessageContaining("SYNC_FLUSH, ASYNC_FLUSH");
    }

    @Test
    void writesAMarkdownTable() {
        assertThat(SettingTable.markdown(List.of(TIMEOUT)))
                .contains("| `timeout` | `5000` | ms | a whole number from 1 to")
                .contains("Either \\| or.");
    }
}
