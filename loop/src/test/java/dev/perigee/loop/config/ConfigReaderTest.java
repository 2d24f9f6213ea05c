package dev.perigee.loop.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class ConfigReaderTest {
    private enum Mode {
        FAST,
        SAFE
    }

    private static final Setting<Integer> PORT = Setting.integer("listenPort", 10911, 3, 65535, "Port of clients.");
    private static final Setting<Boolean> AUTO = Setting.flag("auto", true, "Switch.");
    private static final Setting<Mode> MODE = Setting.choice("mode", Mode.SAFE, "Mode.");

    private static ConfigReader reading(String... pairs) {
        Properties values = new Properties();
        for (int i = 0; i < pairs.length; i += 2) {
            values.setProperty(pairs[i], pairs[i + 1]);
        }
        return new ConfigReader(values);
    }

    @Test
    void absentAndEmptyKeysTakeTheirDefaults() {
        ConfigReader reader = reading("listenPort", " ");
        assertThat(reader.get(PORT)).isEqualTo(10911);
        assertThat(reader.get(AUTO)).isTrue();
        assertThat(reader.get(MODE)).isEqualTo(Mode.SAFE);
        assertThat(reader.isSet(PORT)).isFalse();
    }

    @Test
    void valuesAreReadAsTheirType() {
        ConfigReader reader = reading("listenPort", " 99 ", "auto", "FALSE", "mode", "fast");
        assertThat(reader.get(PORT)).isEqualTo(99);
        assertThat(reader.get(AUTO)).isFalse();
        assertThat(reader.get(MODE)).isEqualTo(Mode.FAST);
    }

    @Test
    void aBadValueNamesKeyValueAndRange() {
        assertThatThrownBy(() -> reading("listenPort", "70000").get(PORT))
                .isInstanceOf(ConfigException.class)
                .hasMessage("setting 'listenPort' has the value '70000', accepted: an integer from 3 to 65535");
        assertThatThrownBy(() -> reading("auto", "yes").get(AUTO)).hasMessageContaining("true or false");
        assertThatThrownBy(() -> reading("mode", "slow").get(MODE)).hasMessageContaining("one of FAST, SAFE");
    }

    @Test
    void keysNobodyAskedForAreListed() {
        ConfigReader reader = reading("listenPort", "99", "zebra", "1", "ant", "2");
        assertThat(reader.get(PORT)).isEqualTo(99);
        assertThat(reader.unknownKeys()).containsExactly("ant", "zebra");
    }
}
