package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.TopicFilter;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.message.MessageExt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The code and the commands of docs/consumers.md, against a broker. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsumersPageTest {
    private static final Path PAGE = Path.of("..", "docs", "consumers.md");
    private static final Path THIS = Path.of("src", "test", "java", "dev", "perigee", "dist", "ConsumersPageTest.java");

    private final Queue<String> got = new ConcurrentLinkedQueue<>();
    private final Path folder;
    private final RunningUp up;
    private final String nameServers;

    ConsumersPageTest(@TempDir Path folder) throws InterruptedException {
        this.folder = folder.resolve("offsets");
        up = new RunningUp(folder.resolve("data"));
        nameServers = up.nameServer();
    }

    @BeforeAll
    void createsTheTopic() {
        up.queues("orders", 8);
    }

    @AfterAll
    void stops() {
        assertThat(up.stop()).isEqualTo(ExitCode.OK);
    }

    private void send(String body, String... more) {
        List<String> words = new ArrayList<>(List.of("send", "orders", body, "--tag", "paid", "--key", "4711"));
        words.addAll(List.of(more));
        up.ok(words.toArray(String[]::new));
    }

    private void awaitGot(String body) {
        RunningUp.await(() -> got.contains(body));
    }

    private void book(String body) {
        got.add(body);
    }

    private void post(String body) {
        got.add(body);
    }

    private void check(String body) {
        got.add(body);
    }

    @Test
    void byListener() throws Exception {
        PushConsumer consumer = PushConsumer.builder()
                .nameServers(nameServers)
                .callTimeoutMs(60_000)
                .group("billing")
                .subscribe("orders", "paid || refunded")
                .listener(messages -> {
                    messages.forEach(message -> book(message.bodyText()));
                    return ConsumeResult.SUCCESS;
                })
                .build();
        consumer.start();
        send("paid by listener");
        awaitGot("paid by listener");
        looksAtGroups();
        consumer.close();
        movesGroups();
    }

    private void looksAtGroups() {
        assertThat(up.ok("group", "list").out()).contains("billing");
        assertThat(up.ok("group", "describe", "billing").out()).contains("1 members", "orders (TAG paid || refunded)");
        assertThat(up.ok("group", "lag", "billing").out()).contains("orders");
        assertThat(up.ok("client", "list", "--group", "billing").out()).contains("billing");
    }

    private void movesGroups() {
        up.ok("group", "create", "billing", "--retries", "5");
        up.ok("dlq", "list");
        assertThat(up.ok("dlq", "peek", "billing").out()).contains("no dead letters");
        up.ok("group", "reset-offset", "billing", "--topic", "orders", "--to-begin", "--dry-run");
        up.ok("group", "reset-offset", "billing", "--topic", "orders", "--to-end", "--yes");
        up.ok("group", "create", "billing-copy");
        up.ok("group", "clone-offset", "billing", "billing-copy");
        up.ok("group", "delete", "billing", "--yes");
    }

    @Test
    void inOrder() throws Exception {
        PushConsumer ordered = PushConsumer.builder()
                .nameServers(nameServers)
                .callTimeoutMs(60_000)
                .group("ledger")
                .subscribe("orders", "*")
                .orderlyListener(messages -> {
                    messages.forEach(message -> post(message.bodyText()));
                    return ConsumeResult.SUCCESS;
                })
                .build();
        ordered.start();
        send("in order");
        awaitGot("in order");
        ordered.close();
    }

    @Test
    void byPolling() throws Exception {
        send("to be polled");
        try (PullConsumer audit = PullConsumer.builder()
                .nameServers(nameServers)
                .callTimeoutMs(60_000)
                .group("audit")
                .consumeFrom(ConsumeFrom.firstOffset())
                .build()) {
            audit.subscribe("orders", "*");
            audit.start();
            int before = got.size();
            do { // once on all but the slowest machines
                for (MessageExt message : audit.poll(5_000)) {
                    check(message.bodyText());
                }
            } while (got.size() == before);
            audit.commit();
        }
    }

    @Test
    void everythingToEverybody() throws Exception {
        PushConsumer cache = PushConsumer.builder()
                .nameServers(nameServers)
                .callTimeoutMs(60_000)
                .instanceName("cache-1")
                .group("caches")
                .model(MessageModel.BROADCASTING)
                .offsetFolder(folder)
                .subscribe("orders", "*")
                .listener(messages -> ConsumeResult.SUCCESS)
                .build();
        cache.start();
        assertThat(up.ok("group", "describe", "caches").out()).contains("each keeps its offsets itself");
        cache.close();
    }

    @Test
    void onlySomeMessages() throws Exception {
        PushConsumer large = PushConsumer.builder()
                .nameServers(nameServers)
                .callTimeoutMs(60_000)
                .group("large-orders")
                .subscribe("orders", TopicFilter.sql("amount > 1000 AND country IN ('DE', 'FR')"))
                .listener(messages -> ConsumeResult.SUCCESS)
                .build();
        large.start();
        assertThat(up.ok("group", "describe", "large-orders").out()).contains("orders (SQL92 amount > 1000");
        large.close();
    }

    private static Stream<String> blockLines(Predicate<String> opens) throws IOException {
        List<String> lines = new ArrayList<>();
        boolean inside = false;
        boolean isWanted = false;
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith("```")) {
                inside = !inside;
                isWanted = inside && opens.test(line);
            } else if (isWanted) {
                lines.add(line.strip());
            }
        }
        assertThat(lines).isNotEmpty();
        return lines.stream();
    }

    @Test
    void thePageShowsThisCode() throws IOException {
        String code = Files.readString(THIS).replaceAll("\\s+", "");
        assertThat(blockLines("```java"::equals))
                .allSatisfy(line -> assertThat(code).contains(line.replaceAll("\\s+", "")));
    }

    @Test
    void thePageShowsCommandsThatAreThere() throws IOException {
        assertThat(blockLines("```"::equals)).allSatisfy(line -> {
            assertThat(line).startsWith("./perigee ");
            List<String> words = new ArrayList<>(List.of(line.split(" ")).subList(1, line.split(" ").length));
            words.add("--help");
            assertThat(Run.of(words.toArray(String[]::new)).exitCode()).as(line).isEqualTo(ExitCode.OK);
        });
    }
}
