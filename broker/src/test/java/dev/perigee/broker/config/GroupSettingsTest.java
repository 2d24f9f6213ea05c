package dev.perigee.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.group.GroupConfig.Peer;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.remoting.address.ListenPort;
import java.io.StringReader;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The settings of a group of brokers: stock keys, our own, and what is refused. */
final class GroupSettingsTest {
    private static final String PEERS = "n0-10.0.0.1:40911;n1-10.0.0.2:40912;n2-host-c:40913";

    private static BrokerConfig read(String... lines) throws Exception {
        Properties values = new Properties();
        values.load(new StringReader(String.join("\n", lines)));
        return BrokerConfig.read(values);
    }

    @Test
    void theKeysOfAStockFileMakeABrokerAMember() throws Exception {
        BrokerConfig config = read(
                "brokerName=RaftNode00",
                "brokerRole=ASYNC_MASTER",
                "brokerId=0",
                "enableDLegerCommitLog=true",
                "dLegerGroup=RaftNode00",
                "dLegerPeers=" + PEERS,
                "dLegerSelfId=n1");
        GroupSettings group = config.group();
        assertThat(group.on()).isTrue();
        assertThat(group.group()).isEqualTo("RaftNode00");
        assertThat(group.peers())
                .containsExactly(
                        new Peer("n0", "10.0.0.1:40911"),
                        new Peer("n1", "10.0.0.2:40912"),
                        new Peer("n2", "host-c:40913"));
        assertThat(group.slaveId()).isEqualTo(2);
        assertThat(config.identity().id()).as("while it does not lead").isEqualTo(2);
        assertThat(config.ports().stream().map(ListenPort::port)).contains(40_912);
        assertThat(config.replication().mayBeFollowed()).isFalse();
        assertThat(group.warning()).isEmpty();
    }

    @Test
    void ourOwnKeysDoToo() throws Exception {
        GroupSettings group =
                read("brokerName=b", "raftPeers=" + PEERS, "raftSelfId=n0").group();
        assertThat(group.on()).isTrue();
        assertThat(group.group()).as("the broker's name, unless it is set").isEqualTo("b");
        assertThat(group.selfAddress()).isEqualTo("10.0.0.1:40911");
    }

    @Test
    void thePreferredLeaderIsOneOfThePeersByEitherKey() throws Exception {
        String[] file = {"brokerName=b", "raftPeers=" + PEERS, "raftSelfId=n0", ""};
        assertThat(read(file).group().preferredLeader()).isEmpty();
        file[3] = "preferredLeaderId=n2";
        assertThat(read(file).group().preferredLeader()).isEqualTo("n2");
        file[3] = "preferredLeader=n1";
        assertThat(read(file).group().preferredLeader()).isEqualTo("n1");
        file[3] = "preferredLeader=n7";
        assertThatThrownBy(() -> read(file))
                .hasMessageContaining("preferredLeader")
                .hasMessageContaining("n7")
                .hasMessageContaining("n0, n1, n2");
    }

    @Test
    void peersOfAModeThatIsOffAreNoGroup() throws Exception {
        BrokerConfig config = read("dLegerPeers=" + PEERS, "dLegerSelfId=n0");
        assertThat(config.group().on()).isFalse();
        assertThat(config.identity().id()).isZero();
    }

    @Test
    void anEvenNumberIsWarnedAboutWithTheReason() throws Exception {
        assertThat(read("raftPeers=a-h:1;b-h:2;c-h:3;d-h:4", "raftSelfId=a")
                        .group()
                        .warning())
                .hasValueSatisfying(text -> assertThat(text).contains("a group of 4", "no more may fail than of 3"));
        assertThat(read("brokerName=b").group().warning()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "raftPeers=a-h:1;a-h:2 , raftSelfId=a | a-h:1 and a-h:2 | both have a",
                "raftPeers=a-h:1;b-h:1 , raftSelfId=a | a-h:1 and b-h:1 | both have h:1",
                "raftPeers=a-h:1;b-h:2 , raftSelfId=c | raftSelfId=c | a, b",
                "enableDLegerCommitLog=true , dLegerPeers=a-h:1 | dLegerSelfId= | a",
                "enableDLegerCommitLog=true | dLegerPeers= | 1 to 32 peers, not 0",
                "raftPeers=h:1 , raftSelfId=a | raftPeers=h:1 | id-host:port",
                "raftPeers=a-h:0 , raftSelfId=a | raftPeers=a-h:0 | id-host:port",
                "raftPeers=a-h:1 , raftSelfId=a , brokerRole=SLAVE , brokerId=1 | brokerRole=SLAVE | is elected",
                "raftPeers=a-h:1 , dLegerPeers=a-h:2 , raftSelfId=a | raftPeers=a-h:1 | dLegerPeers=a-h:2",
                "raftPeers=a-h:10911 , raftSelfId=a | listenPort | 10911",
                "raftPeers=a-h:1 , raftSelfId=a , haAcceptLoss=true | haAcceptLoss=true | false with raftPeers",
                "enableDLegerCommitLog=true , dLegerPeers=a-h:1 , dLegerSelfId=a , haAcceptLoss=true | haAcceptLoss=true | dLegerPeers"
            })
    void whatCannotBeIsRefusedNamingBoth(String lines, String one, String other) {
        assertThatThrownBy(() -> read(lines.split(" , ")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(one)
                .hasMessageContaining(other);
    }
}
