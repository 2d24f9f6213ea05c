package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.member.StartRefusedException;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.FreePorts;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A member whose peer is of another group does not go on waiting for it. */
final class MemberStartTest {
    @TempDir
    private Path folder;

    @Test
    void aMemberWhosePeerIsOfAnotherGroupStopsNamingBoth() throws Exception {
        String there = "n1-127.0.0.1:" + FreePorts.one();
        Map<String, String> settings = Map.of("brokerName", "broker-b", "raftPeers", there, "raftSelfId", "n1");
        try (TestBroker other = new TestBroker(folder.resolve("other"), settings)) {
            Properties own = new Properties();
            own.putAll(Map.of(
                    "storePathRootDir", folder.resolve("own").toString(),
                    "brokerIP1", "127.0.0.1",
                    "bindAddress", "127.0.0.1",
                    "listenPort", "0",
                    "mappedFileSizeCommitLog", "16777216",
                    "brokerName", "broker-a",
                    "raftPeers", "n0-127.0.0.1:" + FreePorts.one() + ";" + there,
                    "raftSelfId", "n0"));
            CompletableFuture<Throwable> told = new CompletableFuture<>();
            try (Broker member = new Broker(BrokerConfig.read(own), Clock.system())) {
                member.onFatal(told::complete);
                member.start();
                assertThat(told.get(1, TimeUnit.MINUTES))
                        .as("on a slow machine it is told later")
                        .isNotNull();
            } catch (StartRefusedException e) {
                told.complete(e);
            }
            assertThat(told.join())
                    .isInstanceOf(StartRefusedException.class)
                    .hasMessageContainingAll(there, "broker-a", "broker-b");
            assertThat(other.call(Rpcs.RAFT_STATUS, NoHeader.NONE, null).code())
                    .as("the other one goes on")
                    .isZero();
        }
    }
}
