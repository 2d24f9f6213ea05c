package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
    private static final long CALL_MS = 10_000;

    private final RunningUp up;
    private final AdminClient admin;
    private final EventLoops loops = EventLoops.start("test");
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());

    TxCommandsTest(@TempDir Path folder) throws InterruptedException {
        up = new RunningUp(folder.resolve("data"));
        admin = AdminClient.builder().nameServers(up.nameServer()).build();
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

    @Test
    void neitherOrBothOutcomesAreAMistake() {
        assertThat(up.run("tx", "resolve", "x").exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(up.run("tx", "resolve", "x", "--commit", "--rollback").exitCode())
                .isEqualTo(ExitCode.USAGE);
        refused(up.run("tx", "list", "--max", "0"), ExitCode.USAGE, "--max", "1 to 100000");
    }

    @Test
    void onlyWhatWasSetAsideIsAskedForAgain() {
        refused(up.run("tx", "resume", "nonsense"), ExitCode.USAGE, "OFFSET_MESSAGE_ID", "nonsense");
        String nowhere =
                "7F000001" + String.format("%08X", Integer.parseInt(up.broker().split(":", 2)[1])) + "0000000000000001";
        refused(up.run("tx", "resume", nowhere), ExitCode.FAILED, "TRANS_CHECK_MAX_TIME_TOPIC", nowhere);
    }
}
