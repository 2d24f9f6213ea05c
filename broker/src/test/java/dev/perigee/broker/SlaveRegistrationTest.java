package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.header.route.UnregisterBrokerHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.route.RegisterBrokerBody;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A slave makes itself known under its id, and finds its master by the answer. */
class SlaveRegistrationTest {
    private static final String NAME_SERVER = "127.0.0.1:9876";

    private final SteppedPair pair = new SteppedPair();
    private final List<RegisterBrokerHeader> slaves = new ArrayList<>();
    private final List<Set<String>> topicsOfSlaves = new ArrayList<>();
    private int unregistered;
    private boolean knowsMaster;
    private boolean namesMaster = true;

    @BeforeEach
    void startNameServer() throws Exception {
        HandlerTable table = HandlerTable.builder()
                .on(Rpcs.REGISTER_BROKER, this::register)
                .on(Rpcs.UNREGISTER_BROKER, this::unregister)
                .build();
        new RemotingServer(ServerConfig.of("127.0.0.1", 9876), table, pair.network, pair.clock).start();
    }

    private void register(Request<RegisterBrokerHeader> request, Reply<RegisterBrokerResponse> reply) {
        RegisterBrokerHeader header = request.header();
        if (header.brokerId() == 0) {
            knowsMaster = true;
            reply.ok(new RegisterBrokerResponse(null, null));
            return;
        }
        slaves.add(header);
        try {
            topicsOfSlaves.add(Json.read(request.copyBody(), RegisterBrokerBody.class)
                    .topicConfigSerializeWrapper()
                    .topicConfigTable()
                    .keySet());
        } catch (BadBodyException e) {
            throw new IllegalStateException(e);
        }
        reply.ok(
                knowsMaster && namesMaster
                        ? new RegisterBrokerResponse("127.0.0.1:" + SteppedPair.HA_PORT, "127.0.0.1:10911")
                        : new RegisterBrokerResponse(null, null));
    }

    private void unregister(Request<UnregisterBrokerHeader> request, Reply<NoHeader> reply) {
        if (request.header().brokerId() != 0) {
            unregistered++;
        }
        reply.ok(NoHeader.NONE);
    }

    @Test
    void aSlaveWithoutAnAddressFollowsTheMasterThatTheNameServerNames() throws Exception {
        Map<String, String> told = Map.of("namesrvAddr", NAME_SERVER, "haMasterAddress", "", "forceRegister", "false");
        pair.startSlave(told);
        pair.until(() -> slaves.size() >= 2);
        assertThat(slaves.get(0).brokerId()).isEqualTo(1);
        assertThat(slaves.get(0).brokerAddr()).isEqualTo("127.0.0.1:" + SteppedPair.SLAVE_PORT);
        assertThat(slaves.get(0).enableActingMaster())
                .as("not said: the topics of a slave that is empty are not those of the name")
                .isNull();
        pair.startMaster(Map.of("namesrvAddr", NAME_SERVER));
        pair.createTopic("T");
        pair.sendMany("T", 3);
        pair.level();
        pair.until(() -> topicsOfSlaves.get(topicsOfSlaves.size() - 1).contains("T"));
        pair.until(() -> last().enableActingMaster() != null);
        assertThat(last().enableActingMaster())
                .as("said, so that a NameServer takes the topics of a slave that is alone")
                .isFalse();
        int before = slaves.size();
        pair.pass(10_000);
        assertThat(slaves.size() - before)
                .as("registrations in 10 s while the master is followed")
                .isLessThanOrEqualTo(1);
    }

    /** It may be thousands, and the master away for days. */
    @Test
    void aSlaveWithoutAMasterAsksForItWithoutItsTopics() throws Exception {
        Map<String, String> told = Map.of("namesrvAddr", NAME_SERVER, "haMasterAddress", "");
        pair.startMaster(told);
        pair.createTopic("T");
        pair.startSlave(told);
        pair.level();
        pair.until(() -> topicsOfSlaves.get(topicsOfSlaves.size() - 1).contains("T"));
        pair.stopMaster();
        knowsMaster = false;
        int before = slaves.size();
        pair.pass(25_000);
        List<RegisterBrokerHeader> asked = slaves.subList(before, slaves.size());
        assertThat(asked).as("registrations in 25 s").hasSizeBetween(10, 15);
        List<RegisterBrokerHeader> whole = asked.stream()
                .filter(each -> Boolean.TRUE.equals(each.completeTable()))
                .toList();
        assertThat(whole).as("of the whole table").hasSizeLessThanOrEqualTo(1);
        assertThat(asked)
                .filteredOn(each -> !whole.contains(each))
                .as("they speak for no topic: none is listed, and none is to be dropped")
                .allMatch(each -> each.enableActingMaster() == null);
        assertThat(topicsOfSlaves.subList(before, slaves.size()).stream().filter(Set::isEmpty))
                .hasSize(asked.size() - whole.size());
        pair.startMaster(told);
        pair.sendMany("T", 3);
        pair.level();
    }

    @Test
    void aSlaveFindsTheMasterItHadAlsoWhenNobodyNamesIt() throws Exception {
        Map<String, String> told = Map.of("namesrvAddr", NAME_SERVER, "haMasterAddress", "");
        pair.startMaster(Map.of("namesrvAddr", NAME_SERVER));
        pair.createTopic("T");
        pair.startSlave(told);
        pair.level();
        pair.stopSlave();
        pair.stopMaster();
        namesMaster = false;
        pair.startSlave(told);
        pair.startMaster(Map.of());
        pair.sendMany("T", 3);
        pair.level();
    }

    @Test
    void aSlaveThatItsMasterRefusesIsKnownToNobodyWhileThatIsThere() throws Exception {
        Map<String, String> told = Map.of("namesrvAddr", NAME_SERVER);
        pair.partLogs();
        pair.startMaster(told);
        pair.startSlave(told);
        pair.until(() -> unregistered == 1);
        int before = slaves.size();
        pair.pass(40_000);
        assertThat(slaves).as("registrations while it is refused").hasSize(before);
        pair.stopMaster();
        pair.until(() -> slaves.size() > before);
        assertThat(last().enableActingMaster())
                .as("it is not read, and so speaks for no topic")
                .isNull();
        assertThat(unregistered).isEqualTo(1);
    }

    private RegisterBrokerHeader last() {
        return slaves.get(slaves.size() - 1);
    }
}
