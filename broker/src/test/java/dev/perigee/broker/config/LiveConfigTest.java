package dev.perigee.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.Clock;
import dev.perigee.loop.config.ChangedSettings;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.disk.ForwardingDisk;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LiveConfigTest {
    @TempDir
    Path folder;

    private static Properties properties(String text) throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(text));
        return properties;
    }

    private LiveConfig open(String configured) throws IOException {
        return LiveConfig.open(
                BrokerConfig.read(properties(configured)), ChangesOnDisk.of(new FileDisk(folder)), Clock.system());
    }

    private void keep(String text) throws IOException {
        Path file = folder.resolve(ChangesOnDisk.FILE);
        Files.createDirectories(folder.resolve("config"));
        Files.writeString(file, text);
    }

    @Test
    void onlyListedKeysChangeWhileRunning() throws Exception {
        LiveConfig live = open("");
        LiveConfig.Outcome outcome = live.change(properties("autoCreateTopicEnable=FALSE\nnoSuchKey=1"));
        assertThat(outcome.changed()).containsExactly("autoCreateTopicEnable");
        assertThat(outcome.unknown()).containsExactly("noSuchKey");
        assertThat(live.settings().autoCreateTopic()).isFalse();
        assertThat(live.texts()).containsEntry("autoCreateTopicEnable", "false");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "storePathRootDir",
                "storePathCommitLog",
                "brokerIP1",
                "namesrvAddr",
                "brokerConfigPath",
                "aclEnable"
            })
    void aChangeThatTouchesAPathOrAnAddressChangesNothing(String key) throws Exception {
        LiveConfig live = open("");
        LiveConfig.Outcome outcome = live.change(properties("traceOn=false\n" + key + "=elsewhere"));
        assertThat(outcome.notChangeable()).containsExactly(key);
        assertThat(live.settings().traceOn()).isTrue();
        assertThat(folder.resolve(ChangesOnDisk.FILE)).doesNotExist();
    }

    @Test
    void aChangeToABadValueChangesNothing() throws Exception {
        LiveConfig live = open("");
        assertThatThrownBy(() -> live.change(properties("traceOn=false\nbrokerPermission=9")))
                .isInstanceOf(ConfigException.class);
        assertThat(live.settings().permission()).isEqualTo(6);
        assertThat(live.settings().traceOn()).isTrue();
        assertThat(live.version().counter()).isZero();
    }

    @Test
    void changesOutliveARestartAndAreStrongerThanTheConfigurationFile() throws Exception {
        LiveConfig first = open("brokerPermission=6");
        first.change(properties("brokerPermission=4"));
        first.change(properties("traceOn=false"));

        LiveConfig second = open("brokerPermission=6");

        assertThat(second.settings().permission()).isEqualTo(4);
        assertThat(second.settings().traceOn()).isFalse();
        assertThat(second.texts()).containsEntry("brokerPermission", "4").containsEntry("traceOn", "false");
        second.change(properties("brokerPermission=6"));
        assertThat(open("").settings().permission()).isEqualTo(6);
    }

    @Test
    void aChangeThatCannotBeKeptChangesNothing() throws Exception {
        LiveConfig live = open("");
        Files.createFile(folder.resolve("config")); // where the folder should be
        assertThatThrownBy(() -> live.change(properties("traceOn=false"))).isInstanceOf(IOException.class);
        assertThat(live.settings().traceOn()).isTrue();
    }

    @Test
    void aChangeThatIsInTheFileAndNotDurableIsToldSoAndTakenBackByTheNextOne() throws Exception {
        boolean[] failing = {true};
        Disk disk = new ForwardingDisk(new FileDisk(folder)) {
            @Override
            public void syncFolder(String name) throws IOException {
                if (failing[0] && !name.isEmpty()) {
                    throw new IOException("Input/output error");
                }
                super.syncFolder(name);
            }
        };
        LiveConfig live = LiveConfig.open(BrokerConfig.read(new Properties()), ChangesOnDisk.of(disk), Clock.system());

        assertThatThrownBy(() -> live.change(properties("traceOn=false")))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll(ChangesOnDisk.FILE, "holds the change already", "Input/output error");
        assertThat(live.settings().traceOn()).isTrue();
        assertThat(open("").settings().traceOn()).isFalse();

        failing[0] = false;
        live.change(properties("brokerPermission=4"));
        assertThat(open("").settings().traceOn()).isTrue();
        assertThat(open("").settings().permission()).isEqualTo(4);
    }

    @Test
    void aFileOfChangesThatIsTooLargeStopsTheStartWithItsLimit() throws Exception {
        keep("#".repeat(ChangedSettings.MAX_BYTES + 1));
        assertThatThrownBy(() -> open(""))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll(ChangesOnDisk.FILE, "at most " + ChangedSettings.MAX_BYTES);
    }

    @Test
    void theVersionMovesOnlyWithAChange() throws Exception {
        LiveConfig live = open("");
        assertThat(live.version()).isEqualTo(live.version());
        live.change(properties("noSuchKey=1"));
        assertThat(live.version().counter()).isZero();
        live.change(properties("traceOn=false"));
        assertThat(live.version().counter()).isEqualTo(1);
    }

    @Test
    void aKeptKeyThatMayNotChangeIsPassedOver() throws Exception {
        keep("storePathRootDir=/elsewhere\ntraceOn=false\n");
        LiveConfig live = open("storePathRootDir=/here");
        assertThat(live.texts()).containsEntry("storePathRootDir", "/here");
        assertThat(live.settings().traceOn()).isFalse();
    }

    @Test
    void aKeptValueThatIsNotAcceptedStopsTheStartWithFileAndKey() throws Exception {
        keep("brokerPermission=9\n");
        assertThatThrownBy(() -> open(""))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(ChangesOnDisk.FILE)
                .hasMessageContaining("brokerPermission=9");
    }
}
