package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.route.RegisterBrokerHeader;
import dev.perigee.protocol.header.route.UnregisterBrokerHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.route.RegisterBrokerBody;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigTable;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code perigee tx}: looking at undecided transactions, and deciding. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TxCommandsTest {
    private static final long CALL_MS = 60_000;

    private final RunningUp up;
    private final AdminClient admin;
    private final EventLoops loops = EventLoops.start("test");
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());

    TxCommandsTest(@TempDir Path folder) throws InterruptedException {
        up = new RunningUp(folder.resolve("data"));
        admin = AdminClient.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .timeoutMs(60_000)
                .build();
    }

    @BeforeAll
    void starts() {
        admin.start();
    }

    @AfterAll
    void stops() {
        client.close();
        loops.close();
        admin.close();
        assertThat(up.stop()).isEqualTo(ExitCode.OK);
    }

    private static Run ok(Run run) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.OK);
        return run;
    }

    private static void refused(Run run, int exitCode, String... parts) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(exitCode);
        assertThat(run.err().lines())
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("perigee: ").contains(parts));
    }

    private void half(String topic, String group, String key, String... more) throws Exception {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("TRAN_MSG", "true");
        properties.put("PGROUP", group);
        properties.put("UNIQ_KEY", key);
        for (int i = 0; i < more.length; i += 2) {
            properties.put(more[i], more[i + 1]);
        }
        SendMessageHeader header = new SendMessageHeader(
                group,
                topic,
                "TBW102",
                1,
                0,
                SysFlag.TRANSACTION_PREPARED,
                1_760_000_000_000L,
                0,
                PropertyText.of(properties),
                0,
                false,
                -1,
                false,
                null);
        Answer<SendMessageResponse> answer = client.call(
                        up.broker(),
                        Rpcs.SEND_MESSAGE_V2,
                        header,
                        ("body of " + key).getBytes(StandardCharsets.UTF_8),
                        Deadline.after(Clock.system(), CALL_MS))
                .get();
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    private void topic(String name) throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of(name, 1));
    }

    private List<?> consumed(String topic) throws Exception {
        Run run = up.run("consume", topic, "--max", "1", "--json");
        return ok(run).lines();
    }

    private long count(String topic) throws Exception {
        return admin.topics().stats(topic).offsetTable().values().stream()
                .mapToLong(ends -> ends.maxOffset() - ends.minOffset())
                .sum();
    }

    @Test
    void whatIsUndecidedIsListedByGroupAndTopic() throws Exception {
        topic("listed");
        half("listed", "list-g", "list-1", "KEYS", "order7");
        half("listed", "list-other", "list-2");
        List<?> all = ok(up.run("tx", "list", "--topic", "listed", "--json")).array();
        assertThat(all).hasSize(2);
        Map<?, ?> first = (Map<?, ?>) all.get(0);
        assertThat(Objects.requireNonNull(first.get("messageId"))).isEqualTo("list-1");
        assertThat(Objects.requireNonNull(first.get("group"))).isEqualTo("list-g");
        assertThat(Objects.requireNonNull(first.get("keys"))).isEqualTo("order7");
        assertThat(Objects.requireNonNull(first.get("broker"))).isEqualTo("broker-a");
        assertThat(ok(up.run("tx", "list", "--group", "list-other")).out())
                .contains("list-2")
                .doesNotContain("list-1");
        assertThat(ok(up.run("tx", "list", "--group", "list-nobody")).out()).contains("no undecided transactions");
    }

    @Test
    void aCommittedOneIsDeliveredAndGoneFromTheList() throws Exception {
        topic("committed");
        half("committed", "commit-g", "commit-1");
        Run run = ok(up.run("tx", "resolve", "commit-1", "--commit", "--json"));
        assertThat(String.valueOf(run.object().get("outcome"))).isEqualTo("commit");
        assertThat(consumed("committed")).hasSize(1);
        assertThat(ok(up.run("tx", "list", "--topic", "committed")).out()).contains("no undecided transactions");
        refused(
                up.run("tx", "resolve", "commit-1", "--rollback"),
                ExitCode.NOT_FOUND,
                "no undecided transaction has the message id commit-1");
    }

    @Test
    void oneThatIsRolledBackIsNeverDelivered() throws Exception {
        topic("rolled-back");
        half("rolled-back", "roll-g", "roll-1");
        half("rolled-back", "roll-g", "roll-2");
        ok(up.run("tx", "resolve", "roll-1", "--rollback", "--group", "roll-g"));
        ok(up.run("tx", "resolve", "roll-2", "--commit"));
        assertThat(consumed("rolled-back"))
                .singleElement()
                .satisfies(line -> assertThat(String.valueOf(line)).contains("roll-2"));
        assertThat(count("rolled-back")).isEqualTo(1);
    }

    @Test
    void ofTwoWithOneIdTheOffsetSaysWhich() throws Exception {
        topic("twice");
        half("twice", "twice-g", "twice-1");
        half("twice", "twice-g", "twice-1");
        refused(
                up.run("tx", "resolve", "twice-1", "--commit"),
                ExitCode.USAGE,
                "2 undecided transactions",
                "--offset",
                "broker-a");
        Map<?, ?> first = (Map<?, ?>)
                ok(up.run("tx", "list", "--topic", "twice", "--json")).array().get(0);
        ok(up.run(
                "tx",
                "resolve",
                "twice-1",
                "--commit",
                "--broker",
                "broker-a",
                "--offset",
                String.valueOf(first.get("offset"))));
        ok(up.run("tx", "resolve", "twice-1", "--rollback"));
        assertThat(count("twice")).isEqualTo(1);
    }

    /** A broker that a NameServer shows, and that is not one of this kind; gives its registration. */
    private void registered(String name, int port) throws Exception {
        RegisterBrokerHeader header = new RegisterBrokerHeader(
                name, "127.0.0.1:" + port, "c", "127.0.0.1:1", 0, null, null, false, 0, null, null);
        RegisterBrokerBody body =
                new RegisterBrokerBody(TopicConfigTable.of(Map.of(), new DataVersion(0, 1, 1)), List.of());
        Answer<?> answer = client.call(
                        up.nameServer(),
                        Rpcs.REGISTER_BROKER,
                        header,
                        Json.write(body),
                        Deadline.after(Clock.system(), CALL_MS))
                .get();
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    private void gone(String name, int port) throws Exception {
        Answer<?> answer = client.call(
                        up.nameServer(),
                        Rpcs.UNREGISTER_BROKER,
                        new UnregisterBrokerHeader(name, "127.0.0.1:" + port, "c", 0),
                        null,
                        Deadline.after(Clock.system(), CALL_MS))
                .get();
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    /** Does not wait for the silent broker long, and longer when the one that answers was not heard in time. */
    private Run asSoonAsTheMachineAllows(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--timeout", ""));
        for (int timeoutMs = 500; ; timeoutMs *= 3) {
            all.set(all.size() - 1, Integer.toString(timeoutMs));
            Run run = up.run(all.toArray(String[]::new));
            if (!run.err().contains("broker broker-a: ") || timeoutMs > 30_000) {
                return run;
            }
        }
    }

    @Test
    void brokersThatAreSilentOrOfAnotherKindAreNamedAndTheOthersAnswer() throws Exception {
        topic("partly");
        half("partly", "partly-g", "partly-1");
        half("partly", "partly-g", "partly-2");
        half("partly", "partly-g", "partly-3");
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                RemotingServer stock = new RemotingServer(
                        ServerConfig.of("127.0.0.1", 0),
                        HandlerTable.builder().build(), // answers every request as a broker that does not know it
                        loops,
                        Clock.system())) {
            stock.start();
            registered("a-silent", silent.getLocalPort());
            registered("z-stock", stock.boundPort());
            Run list = asSoonAsTheMachineAllows("tx", "list", "--group", "partly-g", "--json");
            assertThat(list.array()).hasSize(3);
            assertThat(list.exitCode()).isEqualTo(ExitCode.UNREACHABLE);
            assertThat(list.err().lines())
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line).startsWith("perigee: not all there is: broker "))
                    .anySatisfy(line ->
                            assertThat(line).contains("broker a-silent: ", "127.0.0.1:" + silent.getLocalPort()))
                    .anySatisfy(line -> assertThat(line)
                            .contains("broker z-stock: only Perigee brokers list undecided transactions"));

            Run none = asSoonAsTheMachineAllows("tx", "list", "--group", "nobody");
            assertThat(none.out()).contains("no undecided transactions on brokers that answered");
            assertThat(none.exitCode()).isEqualTo(ExitCode.UNREACHABLE);

            assertThat(ok(up.run("tx", "list", "--group", "partly-g", "--broker", "broker-a", "--json"))
                            .array())
                    .hasSize(3);
            refused(
                    up.run("tx", "list", "--broker", "z-stock"),
                    ExitCode.FAILED,
                    "not all there is: broker z-stock",
                    "310001");
            refused(up.run("tx", "list", "--broker", "nobody"), ExitCode.NOT_FOUND, "broker nobody is not registered");

            ok(up.run("tx", "resolve", "partly-1", "--commit", "--broker", "broker-a"));
            Run resolved = up.run("tx", "resolve", "partly-2", "--commit", "--timeout", "3000", "--json");
            assertThat(String.valueOf(resolved.object().get("outcome"))).isEqualTo("commit");
            assertThat(resolved.exitCode()).isEqualTo(ExitCode.UNREACHABLE);
            assertThat(resolved.err()).contains("broker a-silent: ", "broker z-stock: ");
            assertThat(count("partly")).isEqualTo(2);

            Run unknown = asSoonAsTheMachineAllows("tx", "resolve", "partly-9", "--commit");
            assertThat(unknown.exitCode()).isEqualTo(ExitCode.UNREACHABLE);
            assertThat(unknown.err().lines().toList())
                    .first()
                    .asString()
                    .contains("no undecided transaction has the message id partly-9 on brokers that answered");
            assertThat(unknown.err()).contains("broker a-silent: ", "broker z-stock: ");
            ok(up.run("tx", "resolve", "partly-3", "--rollback", "--broker", "broker-a"));
            gone("a-silent", silent.getLocalPort());
            gone("z-stock", stock.boundPort());
        }
    }

    @Test
    void moreThanOnePageIsListedAsItComes() throws Exception {
        topic("many");
        int halves = 2_100; // a broker gives 1,000 in one answer
        for (int i = 0; i < halves; i++) {
            half("many", "many-g", "many-" + i);
        }
        Run all = ok(up.run("tx", "list", "--topic", "many", "--limit", "0", "--json"));
        assertThat(all.array()).hasSize(halves);
        assertThat(all.lines()).as("an object on each line").hasSize(halves + 1);
        Run table = ok(up.run("tx", "list", "--topic", "many", "--limit", "0"));
        assertThat(table.lines()).filteredOn(line -> line.contains("many-g")).hasSize(halves);
        assertThat(table.lines())
                .filteredOn(line -> line.contains("Next check"))
                .hasSize(3);
        assertThat(ok(up.run("tx", "list", "--topic", "many", "--json")).array())
                .hasSize(100);
        ok(up.run("tx", "resolve", "many-2099", "--rollback"));
    }

    @Test
    void neitherOrBothOutcomesAreAMistake() {
        assertThat(up.run("tx", "resolve", "x").exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(up.run("tx", "resolve", "x", "--commit", "--rollback").exitCode())
                .isEqualTo(ExitCode.USAGE);
        refused(up.run("tx", "list", "--limit", "-1"), ExitCode.USAGE, "--limit", "0 to ");
    }

    @Test
    void onlyWhatWasSetAsideIsAskedForAgain() {
        refused(up.run("tx", "resume", "nonsense"), ExitCode.USAGE, "OFFSET_MESSAGE_ID", "nonsense");
        String nowhere =
                "7F000001" + String.format("%08X", Integer.parseInt(up.broker().split(":", 2)[1])) + "0000000000000001";
        refused(up.run("tx", "resume", nowhere), ExitCode.FAILED, "TRANS_CHECK_MAX_TIME_TOPIC", nowhere);
    }
}
