package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Commands against one {@code perigee up}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CommandsTest {
    private final Path data;
    private final RunningUp up;

    CommandsTest(@TempDir Path folder) throws InterruptedException {
        data = folder;
        up = new RunningUp(folder);
    }

    @BeforeAll
    void isReady() {
        assertThat(up.printed())
                .contains("is ready after ", "Ctrl-C stops it.", "SYNC_FLUSH", data.toString())
                .contains("./perigee send demo \"hello\" -n " + up.nameServer());
    }

    @AfterAll
    void stopsCleanly() {
        assertThat(up.stop()).isEqualTo(ExitCode.OK);
        assertThat(up.printed()).endsWith("stopped\n");
    }

    private static void ok(Run run) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.OK);
    }

    private static void oneLine(Run run, String... parts) {
        assertThat(run.err().lines())
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("perigee: ").contains(parts));
    }

    @Test
    void aBrokerInNoGroupIsSaidToBeThat() {
        String says = "broker-a is in no group of brokers that elects its master";
        Run status = up.run("raft", "status", "broker-a");
        ok(status);
        assertThat(status.out()).startsWith(says);

        Run transfer = up.run("raft", "transfer", "broker-a");
        assertThat(transfer.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
        oneLine(transfer, says);
    }

    @Test
    void aMessageSentIsConsumedWithoutAGroupAgainAndAgain() {
        Run sent = up.run("send", "hello-topic", "hello");
        ok(sent);
        assertThat(sent.out()).startsWith("sent ").contains(" to broker-a:").contains("@0 SEND_OK");

        for (int i = 0; i < 2; i++) {
            Run consumed = up.run("consume", "hello-topic", "--max", "1");
            ok(consumed);
            assertThat(consumed.lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line).endsWith("  hello"));
        }
    }

    @Test
    void aGroupGoesOnWhereItStopped() {
        ok(up.run("topic", "create", "grouped", "-q", "1"));
        ok(up.run("send", "grouped", "one", "two", "three"));

        Run first = up.run("consume", "grouped", "--group", "readers", "--max", "2");
        Run second = up.run("consume", "grouped", "--group", "readers", "--max", "1");

        ok(first);
        ok(second);
        assertThat(first.lines()).hasSize(2);
        assertThat(first.out()).contains("  one\n", "  two\n");
        assertThat(second.lines())
                .singleElement()
                .satisfies(line -> assertThat(line).endsWith("  three"));

        Run described = up.run("group", "describe", "readers", "--json");
        ok(described);
        assertThat(described.out()).contains("\"topic\":\"grouped\"").contains("\"consumerOffset\":3");
        assertThat(up.run("group", "list").out()).contains("readers").doesNotContain("CID_ONSAPI_OWNER");
    }

    @Test
    void everyPropertyOfAMessageComesBackInJson() throws Exception {
        Run sent =
                up.run("send", "json-topic", "--tag", "blue", "--key", "k1", "-p", "colour=azur", "--json", "grüße 世界");
        ok(sent);
        assertThat(sent.object().get("status")).isEqualTo("SEND_OK");

        Run consumed = up.run("consume", "json-topic", "--max", "1", "--json");
        assertThat(consumed.object().get("body")).isEqualTo("grüße 世界");
        assertThat(consumed.object().get("properties"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("TAGS", "blue")
                .containsEntry("KEYS", "k1")
                .containsEntry("colour", "azur");

        Run byKey = up.run("message", "query", "json-topic", "--key", "k1", "--json");
        ok(byKey);
        assertThat(byKey.array()).hasSize(1);
        String id = String.valueOf(sent.object().get("offsetMessageId"));
        Run byId = up.run("message", "get", "--id", id, "--json");
        ok(byId);
        assertThat(byId.out()).contains("grüße 世界");
    }

    @Test
    void onlyTheWantedTagsAreShown() {
        ok(up.run("send", "tagged", "--tag", "red", "r"));
        ok(up.run("send", "tagged", "--tag", "blue", "b"));

        Run consumed = up.run("consume", "tagged", "--tag", "blue", "--no-follow");

        ok(consumed);
        assertThat(consumed.lines())
                .singleElement()
                .satisfies(line -> assertThat(line).endsWith("tag=blue  b"));
    }

    @Test
    void aFileIsSentWhole() throws IOException {
        Path file = data.resolve("body.bin");
        Files.write(file, new byte[] {(byte) 0xFF, (byte) 0xFE, 0});

        ok(up.run("send", "files", "--file", file.toString()));
        Run consumed = up.run("consume", "files", "--max", "1", "--json");

        assertThat(consumed.out()).contains("\"bodyBase64\":\"//4A\"");
    }

    @Test
    void manyMessagesAreSentAndCounted() throws Exception {
        Run sent = up.run("send", "many", "--count", "500", "--size", "100", "--json");
        ok(sent);
        assertThat(sent.object().get("sent")).isEqualTo(500);

        assertThat(up.run("consume", "many", "--max", "500", "--json").lines()).hasSize(500);
    }

    @Test
    void topicsAreCreatedListedDescribedRoutedAndDeleted() throws Exception {
        Run created = up.run("topic", "create", "orders", "--queues", "3");
        ok(created);
        assertThat(created.out()).isEqualTo("topic orders: 3 queues on " + up.broker() + "\n");

        assertThat(up.run("topic", "list").out()).contains("orders").doesNotContain("TBW102");
        assertThat(up.run("topic", "list", "--all").out()).contains("TBW102");
        assertThat(up.run("topic", "describe", "orders", "--json").object().get("queues"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSize(3);
        assertThat(up.run("topic", "describe", "orders").out()).startsWith("topic orders: 3 write and 3 read queues");
        assertThat(up.run("topic", "route", "orders").out()).contains(up.broker(), "DefaultCluster", "RW-");

        ok(up.run("topic", "delete", "orders", "--yes"));
        Run gone = up.run("topic", "describe", "orders");
        assertThat(gone.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
        oneLine(gone, "topic orders does not exist");
    }

    @Test
    void clusterCommandsShowTheBroker() throws Exception {
        assertThat(up.run("cluster", "list").out()).contains("broker-a", up.broker(), "DefaultCluster");
        assertThat(up.run("cluster", "list", "--json").array()).hasSize(1);
        assertThat(up.run("cluster", "status", "broker-a").out()).contains("brokerVersionDesc");
        assertThat(up.run("cluster", "config", "broker-a", "--json").out()).contains("flushDiskType");
        assertThat(up.run("cluster", "status", "ghost").exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    }

    @Test
    void benchTellsRatesAndPercentiles() {
        Run bench = up.run("bench", "--count", "200", "--size", "64", "--json");
        ok(bench);
        assertThat(bench.out()).contains("\"perSecond\"", "\"p99Ms\"", "\"read\":200");
    }

    @Test
    void benchEndsSoonWhenNothingIsStored() {
        ok(up.run("topic", "create", "read-only", "--perm", "4"));
        Run bench = up.run("bench", "--topic", "read-only", "--count", "10000000", "--size", "64", "--no-consume");
        assertThat(bench.exitCode()).as(bench.toString()).isEqualTo(ExitCode.FAILED);
        assertThat(bench.out()).contains("sent 0 messages");
        assertThat(bench.err()).contains(" messages failed, first: ");
    }

    @Test
    void aMissingTopicOrGroupHasItsOwnExitCode() {
        Run consumed = up.run("consume", "no-such-topic");
        assertThat(consumed.exitCode()).as(consumed.toString()).isEqualTo(ExitCode.NOT_FOUND);
        oneLine(consumed, "no-such-topic");

        assertThat(up.run("group", "describe", "nobody").exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    }

    @Test
    void theLogOfARunningBrokerCanBeDumpedAndVerified() throws Exception {
        ok(up.run("send", "logged", "body"));
        String folder = data.resolve("broker").toString();

        Run verified = Run.of("log", "verify", folder, "--json");
        ok(verified);
        assertThat(verified.object().get("damagedRanges")).isEqualTo(0);

        Run dumped = Run.of("log", "dump", folder);
        ok(dumped);
        assertThat(dumped.out()).contains("topic=logged").contains("fact=");
        assertThat(Run.of("log", "cut", folder, "--at", "0").exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(Run.of("log", "verify", data.resolve("nowhere").toString()).exitCode())
                .isEqualTo(ExitCode.FAILED);
    }

    @Test
    void anUnreachableNameServerIsOneLineWithItsAddress() {
        Run run = Run.of("topic", "list", "-n", "127.0.0.1:1", "--timeout", "2000");

        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.UNREACHABLE);
        oneLine(run, "127.0.0.1:1", "'./perigee up' starts one", "-n");
    }

    @Test
    void tracesThatCannotBeThereAreToldSo() {
        Run traced = up.run("send", "demo", "hello", "--trace");
        assertThat(traced.exitCode()).as(traced.toString()).isEqualTo(ExitCode.NOT_FOUND);
        oneLine(
                traced,
                "RMQ_SYS_TRACE_TOPIC does not exist",
                "nothing was sent",
                "./perigee up --set traceTopicEnable=true");
        Run shown = up.run("message", "trace", "0AD5660178A9D335C32002A28A660000");
        assertThat(shown.exitCode()).as(shown.toString()).isEqualTo(ExitCode.NOT_FOUND);
        oneLine(shown, "RMQ_SYS_TRACE_TOPIC does not exist", "./perigee up --set traceTopicEnable=true");
        assertThat(Run.of("message", "query", "demo").err()).startsWith("perigee: Missing required argument");
    }

    @Test
    void aBrokersPortInPlaceOfANameServersIsNamed() {
        for (String[] words : List.of(
                new String[] {"topic", "list"}, new String[] {"group", "list"}, new String[] {"send", "demo", "x"})) {
            List<String> all = new ArrayList<>(List.of(words));
            all.addAll(List.of("-n", up.broker()));
            Run run = Run.of(all.toArray(String[]::new));
            assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.UNREACHABLE);
            oneLine(run, up.broker() + " is no NameServer", "-n");
        }
    }

    @Test
    void aMistypedCommandIsGuessed() {
        Run run = Run.of("sned", "demo", "hello");
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("'sned'", "Did you mean 'perigee send'?");
        assertThat(Run.of("topic", "lsit").err()).contains("Did you mean 'perigee topic list'?");
        assertThat(Run.of("reherse").err()).doesNotContain("Did you mean");
    }

    @Test
    void aTakenPortIsOneLineWithTheAddress() {
        String taken = up.nameServer().substring(up.nameServer().indexOf(':') + 1);
        Run run = Run.of("up", "--data", data.resolve("second").toString(), "--namesrv-port", taken);

        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        oneLine(run, "cannot listen on " + up.nameServer(), "--namesrv-port 0");
    }

    @Test
    void aFolderInUseIsOneLine() {
        Run second = Run.of("up", "--data", data.toString(), "--namesrv-port", "0", "--broker-port", "0");
        assertThat(second.exitCode()).isEqualTo(ExitCode.FAILED);
        String here = Long.toString(ProcessHandle.current().pid());
        oneLine(
                second,
                "up does not start: the folder " + data + " is in use by process " + here,
                "--data",
                "--broker-port");

        String folder = "storePathRootDir=" + data.resolve("broker");
        Run broker = Run.of("broker", "-n", up.nameServer(), "--set", folder, "--set", "listenPort=0");
        assertThat(broker.exitCode()).isEqualTo(ExitCode.FAILED);
        oneLine(broker, "the broker does not start: ", data.toString());
    }

    @Test
    void wrongWordsAreExplained() {
        Run unknown = Run.of("snd");
        assertThat(unknown.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(unknown.err()).contains("snd").contains("send");

        Run missing = Run.of("topic", "create");
        assertThat(missing.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(missing.err()).contains("TOPIC").contains("perigee topic create --help");
        assertThat(Run.of("send", "t").exitCode()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void aMessageThatBreaksALimitIsAWrongCommandLine() {
        Run empty = up.run("send", "limits", "");
        assertThat(empty.exitCode()).as(empty.toString()).isEqualTo(ExitCode.USAGE);
        oneLine(empty, "body.sizeBytes=0", "1 to 4194304 bytes");

        Run misnamed = up.run("send", "no topic!", "hello");
        assertThat(misnamed.exitCode()).as(misnamed.toString()).isEqualTo(ExitCode.USAGE);
        oneLine(misnamed, "topic=no topic!");
    }

    @Test
    void theCompletionScriptNamesTheCommands() {
        Run completion = Run.of("completion");
        ok(completion);
        assertThat(completion.out()).contains("function _complete_perigee", "consume", "ZSH_VERSION");
    }

    @Test
    void everyCommandHasHelp() {
        for (String words : new String[] {"help", "up --help", "send --help", "topic --help", "log dump --help"}) {
            Run help = Run.of(words.split(" ", -1));
            ok(help);
            assertThat(help.out()).contains("Usage: perigee");
        }
        assertThat(Run.of("version", "--json").out()).contains("\"perigee\":");
    }

    @Test
    void settingsFilesArePrintedAndCheckedByName() throws IOException {
        Path sample = data.resolve("broker.conf");
        Files.writeString(sample, """
                brokerClusterName = StockCluster
                brokerName = broker-x
                brokerId = 0
                deleteWhen = 04
                fileReservedTime = 48
                brokerRole = ASYNC_MASTER
                flushDiskType = ASYNC_FLUSH
                someForgottenKey = 1
                """);
        Run printed = Run.of("broker", "-c", sample.toString(), "-n", "10.0.0.1:9876", "-p");
        ok(printed);
        assertThat(printed.out())
                .contains("brokerName=broker-x\n", "fileReservedTime=48\n", "namesrvAddr=10.0.0.1:9876\n");
        assertThat(printed.err()).isEqualTo("perigee: setting someForgottenKey is unknown and ignored\n");

        Run bad = Run.of("broker", "-c", sample.toString(), "--set", "fileReservedTime=never", "-p");
        assertThat(bad.exitCode()).isEqualTo(ExitCode.USAGE);
        oneLine(bad, "fileReservedTime", "never", "a whole number from");
        assertThat(Run.of("broker", "-c", data.resolve("absent").toString()).exitCode())
                .isEqualTo(ExitCode.USAGE);

        Run namesrv = Run.of("namesrv", "-p", "--port", "1234");
        ok(namesrv);
        assertThat(namesrv.out()).contains("listenPort=1234\n");
    }
}
