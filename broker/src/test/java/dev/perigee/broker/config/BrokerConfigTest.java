package dev.perigee.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.config.ConfigException;
import dev.perigee.store.StoreConfig;
import java.io.StringReader;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        assertThat(config.ignored()).isEmpty();
    }

    @Test
    void flushingIsSynchronousUnlessSaidOtherwise() throws Exception {
        assertThat(BrokerConfig.read(properties("")).storage().flush()).isEqualTo(FlushDiskType.SYNC_FLUSH);
    }

    @Test
    void slavesAreToldAnAddressOfTheirOwnWhereItIsNamed() throws Exception {
        BrokerIdentity one =
                BrokerConfig.read(properties("brokerIP1=192.0.2.1")).identity().at("192.0.2.1", 10_911, 0);
        assertThat(one.haAddress()).isEqualTo("192.0.2.1:10912");
        BrokerConfig both = BrokerConfig.read(properties("brokerIP1=192.0.2.1\nbrokerIP2=10.0.0.1"));
        assertThat(both.ignored()).isEmpty();
        BrokerIdentity found = both.identity().at("192.0.2.1", 10_911, 20_000);
        assertThat(found.address()).isEqualTo("192.0.2.1:10911");
        assertThat(found.haAddress()).isEqualTo("10.0.0.1:20000");
        assertThat(both.resolved(found).texts()).containsEntry("brokerIP2", "10.0.0.1");
    }

    @Test
    void theAddressThatSlavesAreToldIsLookedUpAtTheStart() throws Exception {
        BrokerConfig config = BrokerConfig.read(properties("brokerIP2=nobody.invalid"));
        assertThatThrownBy(config::requireKnownHost)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("brokerIP2=nobody.invalid");
    }

    @Test
    void aValueThatIsNotAcceptedIsNamedWithItsKey() {
        assertThatThrownBy(() -> BrokerConfig.read(properties("enablePropertyFilter=perhaps")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("enablePropertyFilter=perhaps");
    }

    @Test
    void unknownKeysAreNamed() throws Exception {
        assertThat(BrokerConfig.read(properties("noSuchKey=16\nbrokerName=b")).ignored())
                .containsExactly(new IgnoredKey("noSuchKey", "is unknown and ignored"));
    }

    @ParameterizedTest
    @CsvSource({
        "storePathCommitLog=/elsewhere, storePathRootDir; here this is /srv/mq/commitlog",
        "storePathConsumeQueue=/elsewhere, /srv/mq/consumequeue",
        "storePathIndex=/elsewhere, /srv/mq/index",
        "storeCheckpoint=/srv/mq/checkpoint, by itself",
        "abortFile=/srv/mq/abort, by itself",
        "sendMessageThreadPoolNums=16, thread pools",
        "mapedFileSizeCommitLog=1, use mappedFileSizeCommitLog",
        "timerWheelEnable=false, always on"
    })
    void stockKeysThatAreNotObeyedSayWhatDoesTheirWork(String line, String word) throws Exception {
        assertThat(BrokerConfig.read(properties("storePathRootDir=/srv/mq\n" + line))
                        .ignored())
                .singleElement()
                .satisfies(ignored -> assertThat(ignored.line())
                        .startsWith("setting " + line.substring(0, line.indexOf('=')))
                        .contains(word));
    }

    @Test
    void aPathThatIsWhereItWouldBeAnywayIsObeyed() throws Exception {
        assertThat(BrokerConfig.read(properties("storePathRootDir=/srv/mq\nstorePathCommitLog=/srv/mq/x/../commitlog"))
                        .ignored())
                .isEmpty();
    }

    @Test
    void everySettingIsShownAsItIsInForce() throws Exception {
        BrokerConfig config =
                BrokerConfig.read(properties("traceOn= FALSE\nflushDiskType=async_flush\ntls.server.keyPassword=p"));
        assertThat(config.texts())
                .containsEntry("traceOn", "false")
                .containsEntry("flushDiskType", "ASYNC_FLUSH")
                .containsEntry("bindAddress", "0.0.0.0")
                .containsEntry("storePathRootDir", System.getProperty("user.home") + "/store")
                .doesNotContainKey("tls.server.keyPassword");
        BrokerIdentity found = new BrokerIdentity("c", "b", 0, "10.0.0.1", 10_911, 10_912);
        assertThat(config.resolved(found).texts())
                .containsEntry("brokerIP1", "10.0.0.1")
                .containsEntry("haListenPort", "10912");
    }

    @Test
    void whatTheStoreDecidesHasTheStoresDefault() throws Exception {
        StorageSettings storage = BrokerConfig.read(properties("")).storage();
        StoreConfig store = StoreConfig.defaults();
        assertThat(storage.minFreeBytes()).isEqualTo(store.minFreeBytes());
        assertThat(storage.minFreePercent()).isEqualTo(store.minFreePercent());
        assertThatThrownBy(() -> BrokerConfig.read(properties("minFreeDiskPercent=51")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("0 to 50");
    }

    @ParameterizedTest
    @ValueSource(strings = {"aclEnable=true", "authenticationEnabled=true", "authorizationEnabled=true"})
    void aGuaranteeThatIsNotBuiltStopsTheStartByItsKey(String line) {
        assertThatThrownBy(() -> BrokerConfig.read(properties(line)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(line.substring(0, line.indexOf('=')))
                .hasMessageContaining("not built");
    }

    @Test
    void theReplicationPortIsOpenedWhereSomebodyMayComeToIt() throws Exception {
        assertThat(BrokerConfig.read(properties("")).replication().mayBeFollowed())
                .isFalse();
        assertThat(BrokerConfig.read(properties("haListenPort=10912"))
                        .replication()
                        .mayBeFollowed())
                .isTrue();
        for (String role : List.of("SYNC_MASTER", "ASYNC_MASTER")) {
            BrokerConfig named = BrokerConfig.read(properties("brokerRole=" + role));
            assertThat(named.replication().mayBeFollowed()).as(role).isTrue();
            assertThat(named.ports()).as(role).contains(named.haPort());
            assertThat(named.haPort().port()).as(role).isEqualTo(10912);
        }
        assertThat(BrokerConfig.read(properties("brokerRole=ASYNC_MASTER\nlistenPort=0"))
                        .haPort()
                        .port())
                .as("chosen by the system, as that of clients")
                .isZero();
    }

    @Test
    void aPortThatIsThatOfReplicationIsRefusedWhereThatIsOpened() throws Exception {
        String metrics = "metricsExporterType=PROM\nmetricsPromExporterPort=10912";
        assertThat(BrokerConfig.read(properties(metrics)).ports()).hasSize(3);
        assertThatThrownBy(() -> BrokerConfig.read(properties(metrics + "\nbrokerRole=ASYNC_MASTER")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("10912")
                .hasMessageContaining("listenPort + 1");
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "brokerClusterName=my cluster | 1 to 100 of the characters",
                "brokerName=a/b               | 1 to 100 of the characters",
                "brokerName=..                | 1 to 100 of the characters",
                "brokerIP1=0.0.0.0            | an IP address or a host name that others can reach",
                "brokerIP1=10.0.0.256         | an IP address or a host name",
                "brokerIP2=here:1             | an IP address or a host name",
                "listenPort=-1                | a whole number from 0 to 65535",
                "listenPort=2                 | 0 or 3 to 65535",
                "listenPort=65535             | 0 or 3 to 65534",
                "haListenPort=65536           | a whole number from 0 to 65535",
                "haListenPort=10909           | another port than that of listenPort - 2",
                "bindAddress=everywhere!      | an IP address or a host name",
                "namesrvAddr=a:1;b:x          | host:port, ports from 1 to 65535",
                "namesrvAddr=host:0           | host:port, ports from 1 to 65535",
                "metricsPromExporterPort=1e3  | a whole number from 0 to 65535",
                "msgTraceTopicName=a topic    | 1 to 127 of the characters",
                "storePathRootDir=a\0b        | a path of this machine"
            })
    void aBadHostPortNameOrPathNamesKeyValueAndRange(String line, String accepted) throws Exception {
        Properties values = new Properties();
        values.setProperty(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1));
        assertThatThrownBy(() -> BrokerConfig.read(values))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("setting " + line + " is not accepted: wanted " + accepted);
    }

    @Test
    void thePortOfTheMetricsIsItsOwnWhereTheyAreServed() throws Exception {
        BrokerConfig.read(properties("metricsPromExporterPort=10911"));
        assertThatThrownBy(
                        () -> BrokerConfig.read(properties("metricsPromExporterPort=10911\nmetricsExporterType=PROM")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("metricsPromExporterPort=10911")
                .hasMessageContaining("listenPort");
    }

    @Test
    void nameServersAreListedOnce() throws Exception {
        assertThat(BrokerConfig.read(properties("namesrvAddr=a:9876;b:9876;a:9876"))
                        .registration()
                        .nameServers())
                .containsExactly("a:9876", "b:9876");
    }

    @Test
    void aSlaveSaysWhomItFollows() throws Exception {
        BrokerConfig config =
                BrokerConfig.read(properties("brokerRole=SLAVE\nbrokerId=2\nhaMasterAddress=10.0.0.1:10912"));
        assertThat(config.identity().id()).isEqualTo(2);
        assertThat(config.replication())
                .isEqualTo(new ReplicationSettings(
                        true, BrokerRole.SLAVE, "10.0.0.1:10912", 1, 1, 3_000, 256L << 20, 15_000, false, false, 0));
    }

    @Test
    void catchingUpIsPacedOnlyWhenFlowControlIsOn() throws Exception {
        String rate = "maxHaTransferByteInSecond=1000000";
        assertThat(BrokerConfig.read(properties(rate)).replication().catchUpBytesPerSec())
                .isZero();
        assertThat(BrokerConfig.read(properties(rate + "\nhaFlowControlEnable=true"))
                        .replication()
                        .catchUpBytesPerSec())
                .isEqualTo(1_000_000);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "brokerRole=SLAVE;haMasterAddress=h:1 | brokerId=0 | more than 0 with brokerRole=SLAVE",
                "brokerRole=SYNC_MASTER;brokerId=1 | brokerId=1 | 0 with brokerRole=SYNC_MASTER",
                "brokerRole=ASYNC_MASTER;brokerId=1 | brokerId=1 | 0 with brokerRole=ASYNC_MASTER",
                "brokerRole=SLAVE;brokerId=1 | haMasterAddress= | one host:port with brokerRole=SLAVE",
                "brokerRole=SLAVE;brokerId=1;haMasterAddress=h:1,i:1 | haMasterAddress=h:1 | with brokerRole=SLAVE",
                "brokerRole=SYNC_MASTER;haMasterAddress=h:1 | haMasterAddress=h:1 | none with brokerRole=SYNC_MASTER",
                "minInSyncReplicas=2 | inSyncReplicas=1 | at least minInSyncReplicas=2"
            })
    void settingsOfReplicationThatContradictEachOtherAreRefusedNamingBoth(String lines, String one, String other) {
        assertThatThrownBy(() -> BrokerConfig.read(properties("" + lines.replace(';', '\n'))))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(one)
                .hasMessageContaining(other);
    }
}
