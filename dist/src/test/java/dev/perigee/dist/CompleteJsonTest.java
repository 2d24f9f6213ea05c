package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicFilterType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What a command prints with {@code --json} holds all that the servers answered, not only what a table has room for. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CompleteJsonTest {
    private final Path folder;
    private final RunningUp up;
    private final AdminClient admin;

    CompleteJsonTest(@TempDir Path folder) throws InterruptedException {
        this.folder = folder;
        up = new RunningUp(folder.resolve("data"));
        admin = AdminClient.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .timeoutMs(60_000)
                .build();
    }

    @BeforeAll
    void starts() throws Exception {
        admin.start();
    }

    @AfterAll
    void stops() {
        admin.close();
        assertThat(up.stop()).isEqualTo(ExitCode.OK);
    }

    private Map<?, ?> object(String... words) throws BadBodyException {
        Run run = up.run(words);
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.OK);
        return run.object();
    }

    private static Map<?, ?> only(Object list) {
        assertThat((List<?>) list).hasSize(1);
        return (Map<?, ?>) ((List<?>) list).get(0);
    }

    private static void has(Map<?, ?> object, Object... membersAndValues) {
        for (int i = 0; i < membersAndValues.length; i += 2) {
            assertThat(plain(object.get(membersAndValues[i])))
                    .as(membersAndValues[i] + " in " + object)
                    .isEqualTo(plain(membersAndValues[i + 1]));
        }
    }

    private static Object member(Map<?, ?> object, String name) {
        return Objects.requireNonNull(object.get(name), () -> name + " in " + object);
    }

    private static List<String> memberNames(Object object) {
        return ((Map<?, ?>) object).keySet().stream().map(String::valueOf).toList();
    }

    /** JSON knows no sizes of whole numbers. */
    private static @Nullable Object plain(@Nullable Object value) {
        return value instanceof Integer number ? Long.valueOf(number) : value;
    }

    @Test
    void aTopicIsDescribedWithItsWholeConfiguration() throws Exception {
        TopicConfig config = new TopicConfig(
                "described", 3, 2, 6, TopicFilterType.MULTI_TAG, 0, true, Map.of("message.type", "FIFO"));
        admin.topics().createOrUpdate(config, List.of(up.broker()));
        assertThat(up.run("send", "described", "one", "two").exitCode()).isEqualTo(ExitCode.OK);

        Map<?, ?> described = object("topic", "describe", "described", "--json");

        has(described, "topic", "described", "messages", 2);
        assertThat(described.containsKey("putTps")).isTrue();
        TopicConfig stored = admin.topics().config("described", up.broker());
        Map<?, ?> configuration = only(member(described, "configuration"));
        has(configuration, "broker", "broker-a", "address", up.broker(), "readQueues", 3, "writeQueues", 2);
        has(configuration, "perm", "RW-", "ordered", true, "sysFlag", stored.topicSysFlag());
        has(configuration, "filterType", stored.topicFilterType().name(), "attributes", stored.attributes());
        assertThat((List<?>) described.get("queues"))
                .hasSize(3)
                .allSatisfy(queue -> assertThat(memberNames(queue))
                        .contains("broker", "queue", "minOffset", "maxOffset", "messages"));
    }

    @Test
    void aRouteIsShownAsNameServersKeepIt() throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of("routed", 2));

        Map<?, ?> route = object("topic", "route", "routed", "--json");

        has(route, "topic", "routed");
        Map<?, ?> broker = only(member(route, "brokers"));
        has(broker, "cluster", "DefaultCluster", "broker", "broker-a", "readQueues", 2, "writeQueues", 2);
        has(broker, "perm", "RW-", "sysFlag", 0, "actingMaster", false, "addresses", Map.of("0", up.broker()));
    }

    @Test
    void aGroupIsListedAndDescribedWithEverySetting() throws Exception {
        SubscriptionGroupConfig config = new SubscriptionGroupConfig(
                "whole", false, false, false, true, 3, 5, null, 0, 1, false, 0, 7, null, Map.of());
        admin.groups().createOrUpdate(config);

        Map<?, ?> listed = ((List<?>) up.run("group", "list", "--json").array())
                .stream()
                        .map(row -> (Map<?, ?>) row)
                        .filter(row -> "whole".equals(row.get("group")))
                        .findFirst()
                        .orElseThrow();

        SubscriptionGroupConfig stored = admin.groups().config("whole", up.broker());
        assertThat(stored.withRetryMaxTimes(5)).isEqualTo(stored);
        has(listed, "group", "whole", "consumeEnable", false, "retryMaxTimes", 5, "retryQueues", 3);
        has(listed, "consumeFromMinEnable", false, "consumeBroadcastEnable", false, "consumeMessageOrderly", true);
        has(listed, "consumeTimeoutMinute", 7, "notifyConsumerIdsChangedEnable", false, "brokerId", 0);
        has(listed, "whichBrokerWhenConsumeSlowly", 1, "sysFlag", 0, "brokers", List.of("broker-a"));
        has(listed, "attributes", Map.of(), "retryPolicy", Map.of("type", "CUSTOMIZED"));

        Map<?, ?> described = object("group", "describe", "whole", "--json");
        has(described, "group", "whole", "lag", 0, "members", List.of(), "queues", List.of());
        assertThat(only(member(described, "settings"))).isEqualTo(listed);
    }

    @Test
    void theRetriesOfAGroupChangeAndNothingElse() throws Exception {
        SubscriptionGroupConfig config = new SubscriptionGroupConfig(
                "retried", true, false, true, true, 2, 5, null, 0, 1, true, 0, 9, null, Map.of());
        admin.groups().createOrUpdate(config);

        has(
                object("group", "create", "retried", "--retries", "-1", "--json"),
                "group",
                "retried",
                "retryMaxTimes",
                -1,
                "brokers",
                List.of(up.broker()));
        assertThat(admin.groups().config("retried", up.broker())).isEqualTo(config.withRetryMaxTimes(-1));
        object("group", "create", "retried", "--json");
        assertThat(admin.groups().config("retried", up.broker())).isEqualTo(config.withRetryMaxTimes(-1));
        has(object("group", "create", "young", "--json"), "retryMaxTimes", 16);
    }

    @Test
    void aBrokerIsListedWithItsWholeState() throws Exception {
        Map<?, ?> broker = only(up.run("cluster", "list", "--json").array());

        has(broker, "cluster", "DefaultCluster", "broker", "broker-a", "id", 0, "address", up.broker());
        has(broker, "answers", true, "actingMaster", false);
        assertThat(((Map<?, ?>) member(broker, "state")).keySet())
                .isEqualTo(admin.brokers().runtimeInfo(up.broker()).keySet());
        assertThat(object("cluster", "status", "broker-a", "--json").keySet())
                .isEqualTo(admin.brokers().runtimeInfo(up.broker()).keySet());
        assertThat(object("cluster", "config", "broker-a", "--json"))
                .isEqualTo(admin.brokers().config(up.broker()));
    }

    @Test
    void aMessageIsShownWithEverythingStored() throws Exception {
        Run sent = up.run("send", "shown", "--tag", "t", "--key", "k1", "--key", "k2", "-p", "a=b", "--json", "body");
        String id = String.valueOf(sent.object().get("offsetMessageId"));
        MessageExt stored = admin.messages().byOffsetId(id).orElseThrow();

        for (Run run : List.of(
                up.run("message", "get", "--id", id, "--json"),
                up.run("message", "query", "shown", "--key", "k2", "--json"))) {
            Map<?, ?> shown = only(run.array());
            has(shown, "topic", "shown", "offset", stored.queueOffset(), "tag", "t", "keys", List.of("k1", "k2"));
            has(shown, "flag", stored.flag(), "sysFlag", stored.sysFlag(), "storeSize", stored.storeSizeBytes());
            has(shown, "physicalOffset", stored.physicalOffset(), "bodyCrc", stored.bodyCrc());
            has(shown, "preparedTransactionOffset", 0, "reconsumeTimes", 0, "body", "body");
            has(shown, "storeHost", up.broker(), "properties", stored.properties());
            assertThat(String.valueOf(shown.get("bornHost"))).startsWith("127.0.0.1:");
        }
    }

    @Test
    void damageIsNamedAndTheDumpHoldsBodiesAndProperties() throws Exception {
        assertThat(up.run("send", "damaged", "--key", "k", "first", "second", "third")
                        .exitCode())
                .isEqualTo(ExitCode.OK);
        Path copy = copyOfTheLog();
        List<Map<?, ?>> frames = dumped(copy, "damaged");
        assertThat(frames.stream().map(frame -> String.valueOf(frame.get("body"))))
                .containsExactly("first", "second", "third");
        assertThat(frames).allSatisfy(frame -> {
            assertThat(frame.get("storeHost")).isEqualTo(up.broker());
            assertThat(((Map<?, ?>) member(frame, "properties")).get("KEYS")).isEqualTo("k");
        });

        long offset = ((Number) member(frames.get(1), "offset")).longValue();
        try (FileChannel file = FileChannel.open(onlyFile(copy), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {'X'}), offset + 92); // inside its body
        }
        Run verified = Run.of("log", "verify", copy.toString(), "--json");

        assertThat(verified.exitCode()).isEqualTo(ExitCode.FAILED);
        has(verified.object(), "damagedRanges", 1);
        Map<?, ?> damage = only(member(verified.object(), "damaged"));
        has(damage, "offset", member(frames.get(1), "offset"), "size", member(frames.get(1), "size"));
        assertThat(Run.of("log", "verify", copy.toString()).out())
                .contains("damaged: offset " + offset + ", " + damage.get("size") + " bytes, " + damage.get("verdict"));
    }

    private Path copyOfTheLog() throws IOException {
        Path copy = Files.createDirectories(folder.resolve("copy"));
        try (Stream<Path> files = Files.list(folder.resolve("data/broker/commitlog"))) {
            for (Path file : files.sorted().limit(1).toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    private static Path onlyFile(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findFirst().orElseThrow();
        }
    }

    private static List<Map<?, ?>> dumped(Path log, String topic) {
        Run dump = Run.of("log", "dump", log.toString(), "--json");
        assertThat(dump.exitCode()).as(dump.err()).isEqualTo(ExitCode.OK);
        return dump.lines().stream()
                .<Map<?, ?>>map(CompleteJsonTest::parsed)
                .filter(frame -> topic.equals(frame.get("topic")))
                .toList();
    }

    private static Map<?, ?> parsed(String line) {
        try {
            return new Run(0, line, "").object();
        } catch (BadBodyException e) {
            throw new AssertionError("no JSON: " + line, e);
        }
    }

    @Test
    void verifyingShowsItsProgressInATerminalAndNeverInJson() throws Exception {
        String log = folder.resolve("data/broker").toString();
        assertThat(shownBy("-Dperigee.terminal=true", log)).contains("verify", "100%");
        assertThat(shownBy("-Dperigee.terminal=true", log, "--json")).isEmpty();
        assertThat(shownBy("-Dperigee.terminal=false", log)).isEmpty();
    }

    /** What {@code log verify} writes on standard error, in a JVM of its own: bars go past the printers of a command line. */
    private String shownBy(String option, String... words) throws IOException, InterruptedException {
        Path shown = folder.resolve("shown.txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                option,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "log",
                "verify"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(shown.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(shown)).isZero();
        return Files.readString(shown);
    }
}
