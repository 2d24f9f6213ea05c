package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.replica.HaInfoHeader;
import dev.perigee.protocol.header.route.MemberGroupHeader;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.route.MemberGroup;
import dev.perigee.protocol.route.MemberGroupBody;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.replica.follow.MasterAddress;
import dev.perigee.store.disk.CrashingDisk;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A master that waits for its slaves is found by them, and by nobody else: consumers go on at the slave. */
class MasterThatWaitsTest {
    private static final String NAME_SERVER = "127.0.0.1:9876";
    private static final String MASTER_HA = "127.0.0.1:" + SteppedPair.HA_PORT;
    private static final Map<String, String> SYNC_MASTER =
            Map.of("brokerRole", "SYNC_MASTER", "namesrvAddr", NAME_SERVER);
    private static final Map<String, String> BY_NAME_SERVER = Map.of("namesrvAddr", NAME_SERVER, "haMasterAddress", "");

    private final SteppedPair pair = new SteppedPair();
    private final Map<Long, String> registered = new TreeMap<>();
    /** Where slaves are told that their master replicates. */
    private @Nullable String namedMaster;

    /** @param old whether it is one of the 4.x line, which knows no question for the members of one name */
    private void startNameServer(boolean old) throws Exception {
        HandlerTable.Builder table = HandlerTable.builder()
                .on(Rpcs.REGISTER_BROKER, this::register)
                .on(Rpcs.UNREGISTER_BROKER, (request, reply) -> {
                    registered.remove(request.header().brokerId());
                    reply.ok(NoHeader.NONE);
                });
        if (old) {
            table.on(Rpcs.GET_BROKER_CLUSTER_INFO, this::cluster);
        } else {
            table.on(Rpcs.GET_BROKER_MEMBER_GROUP, this::members);
        }
        new RemotingServer(ServerConfig.of("127.0.0.1", 9876), table.build(), pair.network, pair.clock).start();
    }

    private void register(Request<RegisterBrokerHeader> request, Reply<RegisterBrokerResponse> reply) {
        registered.put(request.header().brokerId(), request.header().brokerAddr());
        reply.ok(new RegisterBrokerResponse(namedMaster, null));
    }

    private void members(Request<MemberGroupHeader> request, Reply<NoHeader> reply) {
        MemberGroup group =
                new MemberGroup(request.header().clusterName(), request.header().brokerName(), registered);
        reply.ok(NoHeader.NONE, Payload.of(Json.write(new MemberGroupBody(group))));
    }

    private void cluster(Request<NoHeader> request, Reply<NoHeader> reply) {
        String cluster = "DefaultCluster";
        String name = "broker-a";
        BrokerData broker = new BrokerData(cluster, name, registered, false, null);
        ClusterInfo info = new ClusterInfo(Map.of(name, broker), Map.of(cluster, Set.of(name)));
        reply.ok(NoHeader.NONE, Payload.of(Json.write(info)));
    }

    /** Both have the messages, and both are stopped; the slave's folder does not say where its master was. */
    private void haveBothStopped() throws Exception {
        pair.startMaster(SYNC_MASTER);
        pair.startSlave(Map.of());
        pair.createTopic("T");
        pair.until(() -> pair.inSync() == 1);
        pair.sendMany("T", 1);
        pair.level();
        pair.stopBoth();
        registered.clear();
        assertThat(MasterAddress.read(pair.slaveDisk)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tellsTheSlavesThatNameServersKnow(boolean old) throws Exception {
        startNameServer(old);
        haveBothStopped();
        pair.beginMaster(SYNC_MASTER);
        pair.startSlave(BY_NAME_SERVER);
        pair.until(() -> pair.master().isServing());
    }

    @Test
    void registersNowhereBeforeItServes() throws Exception {
        startNameServer(false);
        haveBothStopped();
        pair.beginMaster(SYNC_MASTER);
        pair.pass(20_000);
        assertThat(pair.master().isServing()).isFalse();
        assertThat(registered).as("a reader would be sent to a closed port").doesNotContainKey(0L);

        pair.startSlave(BY_NAME_SERVER);
        pair.until(() -> pair.master().isServing());
        pair.until(() -> registered.containsKey(0L));
    }

    @Test
    void oneOfItsSlavesIsReadWhileItWaitsForAnother() throws Exception {
        startNameServer(false);
        pair.startMaster(SYNC_MASTER);
        pair.startSlave(Map.of("namesrvAddr", NAME_SERVER));
        Broker other = pair.startSecondSlave(new CrashingDisk(new Random(3)), Map.of("brokerId", "2"));
        pair.createTopic("T");
        pair.until(() -> pair.inSync() == 2);
        pair.sendMany("T", 1);
        pair.level();
        other.close();
        pair.stopMaster();
        registered.remove(0L);

        pair.beginMaster(SYNC_MASTER);
        for (int i = 0; i < 20; i++) {
            pair.pass(1_000);
            Answer<PullMessageResponse> read = pair.get(pair.pull(SteppedPair.SLAVE_PORT, "g", 0, 0));
            assertThat(read.code()).as(read.remarkText()).isZero();
        }
        assertThat(pair.master().isServing()).isFalse();
        assertThat(registered).containsOnlyKeys(1L);
    }

    /** It may be a former one that was started by mistake, while the one that is the master now was away. */
    @Test
    void aSlaveThatItAskedGoesToTheMasterThatNameServersNameMeanwhile() throws Exception {
        startNameServer(false);
        pair.startMaster(SYNC_MASTER);
        pair.startSlave(BY_NAME_SERVER);
        pair.until(() -> registered.containsKey(1L));
        namedMaster = MASTER_HA;
        Broker other = pair.startSecondSlave(new CrashingDisk(new Random(3)), Map.of("brokerId", "2"));
        pair.until(() -> pair.inSync() == 2);
        pair.stopMaster();
        other.close();
        pair.beginMaster(SYNC_MASTER);
        pair.pass(5_000);
        assertThat(pair.master().isServing()).isFalse();

        AtomicInteger greeted = new AtomicInteger();
        HandlerTable elsewhere = HandlerTable.builder()
                .on(Rpcs.REPLICA_HELLO, (request, reply) -> {
                    greeted.incrementAndGet();
                    reply.fail(ResponseCode.MASTER_IS_STARTING, "in a moment");
                })
                .build();
        new RemotingServer(ServerConfig.of("127.0.0.1", 40_912), elsewhere, pair.network, pair.clock).start();
        namedMaster = "127.0.0.1:40912";
        pair.until(() -> greeted.get() > 0);
        int before = greeted.get();
        pair.pass(10_000);
        assertThat(greeted.get() - before).as("it stays there").isGreaterThanOrEqualTo(10);
    }

    @Test
    void whatIsNoAddressIsRefusedByItsNameAndAMasterIsToldNothing() throws Exception {
        pair.startMaster(Map.of());
        pair.startSlave(Map.of());
        Answer<?> told = tell(SteppedPair.SLAVE_PORT, "nowhere");
        assertThat(told.code()).as(told.remarkText()).isEqualTo(ResponseCode.INVALID_PARAMETER);
        assertThat(told.remarkText()).isEqualTo("masterHaAddress=nowhere, wanted host:port");
        assertThat(tell(SteppedPair.SLAVE_PORT, null).code()).isEqualTo(ResponseCode.INVALID_PARAMETER);
        assertThat(tell(SteppedPair.MASTER_PORT, MASTER_HA).code()).isEqualTo(ResponseCode.REQUEST_CODE_NOT_SUPPORTED);
    }

    private Answer<?> tell(int port, @Nullable String masterHaAddress) throws Exception {
        return pair.get(
                pair.call(port, Rpcs.EXCHANGE_BROKER_HA_INFO, new HaInfoHeader(masterHaAddress, null, null), null));
    }
}
