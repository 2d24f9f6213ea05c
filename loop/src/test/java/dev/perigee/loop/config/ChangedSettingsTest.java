package dev.perigee.loop.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ChangedSettingsTest {
    private static final Setting<Boolean> TRACE = Setting.ofBoolean("traceOn", true);
    private static final Setting<String> TITLE = Setting.ofText("title", "");
    private static final List<Setting<?>> CHANGEABLE = List.of(TRACE, TITLE);

    /** A place in memory that holds bytes, or none. */
    private static final class Bytes implements ChangedSettings.Place {
        private byte @Nullable [] bytes;

        void put(String text) {
            bytes = text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Optional<byte[]> read(int maxBytes) {
            return Optional.ofNullable(bytes);
        }

        @Override
        public void replace(byte[] next) {
            bytes = next;
        }

        @Override
        public String toString() {
            return "changed.properties";
        }
    }

    private final Bytes place = new Bytes();
    private final ChangedSettings settings = new ChangedSettings(place, "broker", "updateBrokerConfig");

    @Test
    void whatIsWrittenIsReadAgainWhateverItsCharacters() throws IOException {
        TreeMap<String, String> changed = new TreeMap<>();
        changed.put("traceOn", "false");
        changed.put("title", "a\\b=c #ü\nd");

        settings.write(changed);

        assertThat(settings.read(CHANGEABLE)).isEqualTo(changed);
        assertThat(new String(place.read(0).orElseThrow(), StandardCharsets.UTF_8))
                .startsWith("# Settings changed while the broker ran (updateBrokerConfig).")
                .endsWith("traceOn=false\n");
    }

    @Test
    void nothingWasChangedWhereThereIsNoFile() throws IOException {
        assertThat(settings.read(CHANGEABLE)).isEmpty();
    }

    @Test
    void valuesAreReadAsTheirSettingsWriteThemAndOtherKeysArePassedOver() throws IOException {
        place.put("traceOn = FALSE\nstorePathRootDir=/elsewhere\n");

        assertThat(settings.read(CHANGEABLE)).hasSize(1).containsEntry("traceOn", "false");
    }

    @Test
    void aValueThatIsNotAcceptedIsNamedWithItsFile() {
        place.put("traceOn=perhaps\n");

        assertThatThrownBy(() -> settings.read(CHANGEABLE))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("changed.properties", "traceOn=perhaps", "true or false");
    }

    @Test
    void linesThatCannotBeReadAreNamedWithTheirFile() {
        place.put("traceOn=\\u00zz\n");

        assertThatThrownBy(() -> settings.read(CHANGEABLE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("changed.properties");
    }

    @Test
    void moreThanTheNextStartWouldReadIsNotWritten() {
        TreeMap<String, String> changed = new TreeMap<>();
        changed.put("title", "x".repeat(ChangedSettings.MAX_BYTES));

        assertThatThrownBy(() -> settings.write(changed))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("changed.properties", "at most " + ChangedSettings.MAX_BYTES);
        assertThat(place.read(0)).isEmpty();
    }
}
