package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.topic.TopicConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code perigee message}: looking messages up by id, by key and queue by queue. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MessageCommandsTest {
    private static final String BROKER = "broker-a";
    private static final int MESSAGES = 100;

    private final RunningUp up;
    private final AdminClient admin;
    private final List<SendResult> sent = new ArrayList<>();
    private long halfTimeMs;

    MessageCommandsTest(@TempDir Path folder) throws InterruptedException {
        up = new RunningUp(folder.resolve("data"));
        admin = AdminClient.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .timeoutMs(60_000)
                .build();
    }

    /** Message i lies in queue i % 2 and has the keys "all" and "key-i". */
    @BeforeAll
    void starts() throws Exception {
        admin.start();
        admin.topics().createOrUpdate(TopicConfig.of("T", 2));
        try (Producer producer = Producer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .sendTimeoutMs(60_000)
                .build()) {
            producer.start();
            for (int i = 0; i < MESSAGES; i++) {
                Message message = Message.builder("T")
                        .body("body " + i)
                        .keys("all", "key-" + i)
                        .build();
                sent.add(producer.send(message, new MessageQueue("T", BROKER, i % 2)));
            }
        }
        halfTimeMs = admin.messages()
                .byOffsetId(sent.get(MESSAGES / 2).offsetMessageId())
                .orElseThrow()
                .storeTimestampMs();
    }

    @AfterAll
    void stops() {
        admin.close();
        assertThat(up.stop()).isEqualTo(ExitCode.OK);
    }

    private Run ok(String... words) {
        Run run = up.run(words);
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.OK);
        assertThat(run.err()).isEmpty();
        return run;
    }

    private static void refused(Run run, int exitCode, String... parts) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(exitCode);
        assertThat(run.err().lines())
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("perigee: ").contains(parts));
    }

    private static List<String> bodies(List<?> messages) {
        return messages.stream()
                .map(message -> String.valueOf(((Map<?, ?>) message).get("body")))
                .toList();
    }

    private static List<String> browsed(Run run) throws Exception {
        List<Object> messages = new ArrayList<>();
        for (String line : run.lines()) {
            messages.add(Json.read(line, Map.class));
        }
        return bodies(messages);
    }

    @Test
    void aMessageIsShownByIdByUniqueKeyAndByPlace() throws Exception {
        SendResult one = sent.get(7);
        String place = Long.toString(one.queueOffset());
        assertThat(bodies(ok("message", "get", "--id", one.offsetMessageId(), "--json")
                        .array()))
                .containsExactly("body 7");
        assertThat(bodies(ok("message", "get", "--topic", "T", "--unique-key", one.messageId(), "--json")
                        .array()))
                .containsExactly("body 7");
        assertThat(ok("message", "get", "--topic", "T", "--broker", BROKER, "--queue", "1", "--offset", place)
                        .out())
                .contains("body 7", "keys=all,key-7");
        refused(
                up.run("message", "get", "--topic", "T", "--unique-key", "none"),
                ExitCode.NOT_FOUND,
                "topic T has no message with the id none");
        refused(up.run("message", "get", "--topic", "T"), ExitCode.USAGE, "--unique-key", "--broker");
    }

    @Test
    void eitherKindOfIdFindsItsMessageOrSaysWhatElseIsNeeded() throws Exception {
        SendResult one = sent.get(7);
        assertThat(ok("message", "get", one.offsetMessageId()).out()).contains("body 7");
        assertThat(ok("message", "get", one.offsetMessageId(), "--topic", "T").out())
                .contains("body 7");
        assertThat(ok("message", "get", one.messageId(), "--topic", "T").out()).contains("body 7");

        refused(up.run("message", "get", one.messageId()), ExitCode.USAGE, one.messageId(), "give --topic too");
        refused(up.run("message", "get", "none", "--topic", "T"), ExitCode.NOT_FOUND, "with the id none");
        refused(up.run("message", "get", one.offsetMessageId(), "--topic", "%RETRY%g"), ExitCode.NOT_FOUND, "%RETRY%g");
        refused(up.run("message", "get", "--id", one.messageId()), ExitCode.USAGE, "send --json");
        refused(up.run("message", "get", one.messageId(), "--topic", "T", "--offset", "1"), ExitCode.USAGE, "ID");
    }

    @Test
    void aQueryGivesTheNewestAndAsManyAsAskedFor() throws Exception {
        assertThat(bodies(ok("message", "query", "T", "--key", "all", "--limit", "2", "--json")
                        .array()))
                .containsExactly("body 99", "body 98");
        assertThat(ok("message", "query", "T", "--key", "all", "--limit", "1000", "--json")
                        .array())
                .as("more than one answer holds")
                .hasSize(MESSAGES);
        assertThat(bodies(
                        ok("message", "query", "T", "--unique-key", sent.get(3).messageId(), "--json")
                                .array()))
                .containsExactly("body 3");
        refused(
                up.run("message", "query", "T", "--key", "none"),
                ExitCode.NOT_FOUND,
                "topic T has none with the key none");
        refused(up.run("message", "query", "nowhere", "--key", "k"), ExitCode.NOT_FOUND, "nowhere");
        assertThat(up.run("message", "query", "T").exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(up.run("message", "query", "T", "--key", "a", "--unique-key", "b")
                        .exitCode())
                .isEqualTo(ExitCode.USAGE);
    }

    @Test
    void aQueryKeepsToARangeOfTimes() throws Exception {
        String half = Long.toString(halfTimeMs);
        int later = ok("message", "query", "T", "--key", "all", "--from", half, "--max", "100", "--json")
                .array()
                .size();
        String before = Long.toString(halfTimeMs - 1);
        List<?> earlier = ok("message", "query", "T", "--key", "all", "--to", before, "--max", "100", "--json")
                .array();
        assertThat(later).isBetween(MESSAGES / 2, MESSAGES);
        assertThat(earlier.size() + later).isEqualTo(MESSAGES);
        refused(
                up.run("message", "query", "T", "--key", "all", "--from", "2000", "--to", "1000"),
                ExitCode.USAGE,
                "--from",
                "--to");
    }

    @Test
    void browsingShowsQueuesSideBySideTheOldestFirst() throws Exception {
        assertThat(browsed(ok("message", "browse", "T", "--limit", "0", "--json")))
                .hasSize(MESSAGES)
                .startsWith("body 0");
        assertThat(browsed(ok("message", "browse", "T", "--queue", "1", "--offset", "2", "--limit", "3", "--json")))
                .containsExactly("body 5", "body 7", "body 9");
        assertThat(browsed(ok("message", "browse", "T", "--queue", "0", "--offset", "48", "--json")))
                .containsExactly("body 96", "body 98");
        assertThat(browsed(ok(
                        "message",
                        "browse",
                        "T",
                        "--broker",
                        BROKER,
                        "--queue",
                        "0",
                        "--offset",
                        "1",
                        "--end-offset",
                        "3",
                        "--json")))
                .containsExactly("body 2", "body 4");
        assertThat(ok("message", "browse", "T", "--limit", "1").out()).contains("body 0", BROKER + ":0@0");
        assertThat(ok("message", "browse", "T", "--offset", "1000").out()).isEmpty();
    }

    @Test
    void browsingQueuesThatAreNotThereIsRefusedByName() {
        refused(up.run("message", "browse", "T", "--broker", "other"), ExitCode.NOT_FOUND, "topic T", "broker other");
        refused(up.run("message", "browse", "T", "--queue", "99"), ExitCode.NOT_FOUND, "topic T", "queue 99");
        refused(up.run("message", "browse", "nowhere"), ExitCode.NOT_FOUND, "nowhere");
    }

    @Test
    void whatWouldNotBeHeededWhenOneMessageIsAskedForIsRefused() {
        String id = sent.get(7).offsetMessageId();
        refused(up.run("message", "get", "--id", "x"), ExitCode.USAGE, "--id", "'x'", "32 or 56");
        refused(up.run("message", "get", "--id", id, "--topic", "T"), ExitCode.USAGE, "--id");
        refused(up.run("message", "get", "--id", id, "--unique-key", "k"), ExitCode.USAGE, "--id");
        refused(up.run("message", "get", "--id", id, "--queue", "1"), ExitCode.USAGE, "--id");
        refused(
                up.run("message", "get", "--topic", "T", "--unique-key", "k", "--offset", "1"),
                ExitCode.USAGE,
                "--unique-key");
    }

    @Test
    void browsingKeepsToARangeOfTimes() throws Exception {
        List<String> later =
                browsed(ok("message", "browse", "T", "--from", Long.toString(halfTimeMs), "--limit", "0", "--json"));
        List<String> earlier =
                browsed(ok("message", "browse", "T", "--to", Long.toString(halfTimeMs - 1), "--limit", "0", "--json"));
        assertThat(later).contains("body 99", "body 50").doesNotContainAnyElementsOf(earlier);
        assertThat(earlier.size() + later.size()).isEqualTo(MESSAGES);
        refused(up.run("message", "browse", "T", "--offset", "5", "--end-offset", "4"), ExitCode.USAGE, "--end-offset");
    }
}
