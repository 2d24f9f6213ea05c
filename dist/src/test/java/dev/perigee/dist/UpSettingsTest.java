package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class UpSettingsTest {
    private static Properties file(String... keysAndValues) {
        Properties file = new Properties();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            file.setProperty(keysAndValues[i], keysAndValues[i + 1]);
        }
        return file;
    }

    @Test
    void whatTheFileCannotDecideIsNamedWithWhatDoesItsWork() {
        UpSettings settings = new UpSettings(file("bindAddress", "10.0.0.1", "traceOn", "false"));
        settings.decide("bindAddress", "127.0.0.1", "use --host");
        assertThat(settings.values()).containsEntry("bindAddress", "127.0.0.1").containsEntry("traceOn", "false");
        assertThat(settings.warnings())
                .containsExactly("setting bindAddress=10.0.0.1 is not obeyed by up, which takes 127.0.0.1: use --host");
    }

    @Test
    void aFileThatSaysTheSameIsNoWarning() {
        UpSettings settings = new UpSettings(file("bindAddress", " 127.0.0.1 "));
        settings.decide("bindAddress", "127.0.0.1", "use --host");
        settings.decide("namesrvAddr", "127.0.0.1:9876", "");
        assertThat(settings.warnings()).isEmpty();
    }

    @Test
    void anOptionIsStrongerThanTheFileAndItsDefaultWeaker() {
        UpSettings settings = new UpSettings(file("listenPort", "20911", "storePathRootDir", "there"));
        settings.option("listenPort", "10911", "--broker-port", false);
        settings.option("storePathRootDir", "here", "--data", true);
        settings.option("brokerName", "broker-a", "--name", false);
        assertThat(settings.values())
                .containsEntry("listenPort", "20911")
                .containsEntry("storePathRootDir", "here")
                .containsEntry("brokerName", "broker-a");
        assertThat(settings.warnings())
                .containsExactly(
                        "setting storePathRootDir=there is not obeyed by up, which takes here: overruled by --data");
    }
}
