package dev.perigee.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.config.ConfigException;
import java.io.StringReader;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerConfigTest {
    private static Properties properties(String text) throws Exception {
        Properties properties = new Properties();
        properties.load(new StringReader(text));
        return properties;
    }

    @Test
    void theStockSampleFileIsUnderstood() throws Exception {
        BrokerConfig config = BrokerConfig.read(properties("""
                brokerClusterName = DefaultCluster
                brokerName = broker-a
                brokerId = 0
                deleteWhen = 04
                fileReservedTime = 48
                brokerRole = ASYNC_MASTER
                flushDiskType = ASYNC_FLUSH
                """));
        assertThat(config.identity().name()).isEqualTo("broker-a");
        assertThat(config.storage().flush()).isEqualTo(FlushDiskType.ASYNC_FLUSH);
        assertThat(config.storage().retentionHours()).isEqualTo(48);
        assertThat(config.storage().deleteWhen()).isEqualTo("04");
        assertThat(config.unknownKeys()).isEmpty();
    }

    @Test
    void flushingIsSynchronousUnlessSaidOtherwise() throws Exception {
        assertThat(BrokerConfig.read(properties("")).storage().flush()).isEqualTo(FlushDiskType.SYNC_FLUSH);
    }

    @Test
    void unknownKeysAreNamed() throws Exception {
        assertThat(BrokerConfig.read(properties("sendMessageThreadPoolNums=16\nbrokerName=b"))
                        .unknownKeys())
                .containsExactly("sendMessageThreadPoolNums");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "aclEnable=true",
                "authenticationEnabled=true",
                "authorizationEnabled=true",
                "enableDLegerCommitLog=true",
                "brokerRole=SLAVE",
                "brokerRole=SYNC_MASTER",
                "tls.server.mode=enforcing"
            })
    void aGuaranteeThatIsNotBuiltStopsTheStartByItsKey(String line) {
        assertThatThrownBy(() -> BrokerConfig.read(properties(line)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(line.substring(0, line.indexOf('=')))
                .hasMessageContaining("not built");
    }

    @Test
    void aBadValueNamesKeyValueAndRange() {
        assertThatThrownBy(() -> BrokerConfig.read(properties("listenPort=70000")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("listenPort")
                .hasMessageContaining("70000")
                .hasMessageContaining("65535");
        assertThatThrownBy(() -> BrokerConfig.read(properties("namesrvAddr=somewhere")))
                .hasMessageContaining("namesrvAddr")
                .hasMessageContaining("host:port");
    }

    @Test
    void nameServersAreListedOnce() throws Exception {
        assertThat(BrokerConfig.read(properties("namesrvAddr=a:9876;b:9876;a:9876"))
                        .registration()
                        .nameServers())
                .containsExactly("a:9876", "b:9876");
    }

    @Test
    void onlyListedKeysChangeWhileRunning() throws Exception {
        LiveConfig live = new LiveConfig(BrokerConfig.read(properties("")));
        LiveConfig.Outcome outcome = live.change(properties("autoCreateTopicEnable=false\nnoSuchKey=1"));
        assertThat(outcome.changed()).containsExactly("autoCreateTopicEnable");
        assertThat(outcome.unknown()).containsExactly("noSuchKey");
        assertThat(live.settings().autoCreateTopic()).isFalse();
        assertThat(live.texts()).containsEntry("autoCreateTopicEnable", "false");
    }

    @Test
    void aChangeThatTouchesAPathChangesNothing() throws Exception {
        LiveConfig live = new LiveConfig(BrokerConfig.read(properties("")));
        LiveConfig.Outcome outcome = live.change(properties("traceOn=false\nstorePathRootDir=/elsewhere"));
        assertThat(outcome.notChangeable()).containsExactly("storePathRootDir");
        assertThat(live.settings().traceOn()).isTrue();
    }

    @Test
    void aChangeToABadValueChangesNothing() throws Exception {
        LiveConfig live = new LiveConfig(BrokerConfig.read(properties("")));
        assertThatThrownBy(() -> live.change(properties("brokerPermission=9"))).isInstanceOf(ConfigException.class);
        assertThat(live.settings().permission()).isEqualTo(6);
        assertThat(live.changes()).isZero();
    }
}
