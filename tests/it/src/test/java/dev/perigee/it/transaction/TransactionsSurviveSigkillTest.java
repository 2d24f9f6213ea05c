package dev.perigee.it.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.admin.TransactionAdmin.Undecided;
import dev.perigee.client.transaction.TransactionState;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two producers of transactions and their broker are killed in turn while they work: every half message is resolved once, as the ledger of
 * the producers says, and none stays open.
 */
@Tag("full")
final class TransactionsSurviveSigkillTest {
    private static final int PER_KILL = 300;
    private static final int ROUNDS = 4;
    /** So many transactions of one sender have some among them that it committed. */
    private static final int OF_ONE_SENDER = 20;

    private static final long CALL_MS = 60_000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Map<String, String> SETTINGS = Map.of(
            "transactionTimeOut", "2000",
            "transactionCheckInterval", "1000",
            "transactionCheckMax", "1000");

    @TempDir
    private Path folder;

    private final List<JavaProcess> senders = new ArrayList<>();
    private Ledger ledger = new Ledger(Path.of("."));

    @Test
    void everyHalfMessageIsResolvedExactlyOnceThoughBrokerAndProducersAreKilled() throws Exception {
        Path entries = Files.createDirectories(folder.resolve("ledger"));
        ledger = new Ledger(entries);
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"), names.target().namesrv(), SETTINGS);
                EventLoops loops = EventLoops.start("reader", 1)) {
            RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
            String address = broker.target().broker();
            createTopic(client, address);
            start(names, entries);
            start(names, entries);
            for (int round = 0; round < ROUNDS; round++) {
                awaitDecided(ledger.size() + PER_KILL);
                killLastSender();
                start(names, entries);
                awaitDecided(ledger.size() + PER_KILL);
                broker.kill();
                broker.start();
            }
            awaitDecided(ledger.size() + PER_KILL);
            Files.createFile(folder.resolve(SenderMain.STOP));
            awaitNothingUndecided(names);
            check(delivered(client, address));
            client.close();
        } finally {
            senders.forEach(JavaProcess::close);
        }
    }

    private void createTopic(RemotingClient client, String address) throws Exception {
        CreateTopicHeader header =
                new CreateTopicHeader(SenderMain.TOPIC, "TBW102", 1, 1, 6, "SINGLE_TAG", 0, false, null, null);
        assertThat(client.callBlocking(
                                address,
                                Rpcs.UPDATE_AND_CREATE_TOPIC,
                                header,
                                null,
                                Deadline.after(Clock.system(), CALL_MS))
                        .code())
                .isZero();
    }

    private void start(PerigeeProcess names, Path entries) throws IOException {
        String name = nameOf(senders.size());
        Path home = Files.createDirectories(folder.toAbsolutePath().resolve(name));
        senders.add(new JavaCommand(name, SenderMain.class.getName(), System.getProperty("java.class.path"), home)
                .options("-Dlogback.configurationFile=member-logback.xml")
                .options("-Xms16m", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
                .arguments(
                        names.target().namesrv(),
                        entries.toAbsolutePath().toString(),
                        folder.toAbsolutePath().toString(),
                        name)
                .start());
    }

    private static String nameOf(int sender) {
        return "sender" + sender;
    }

    /** When it has begun to work, however long it took to start. */
    private void killLastSender() {
        int last = senders.size() - 1;
        Awaitility.await(OF_ONE_SENDER + " transactions of " + nameOf(last))
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> ledger.size(nameOf(last) + "-") >= OF_ONE_SENDER);
        senders.get(last).kill();
    }

    private void awaitDecided(long count) {
        Awaitility.await(count + " transactions")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> ledger.size() >= count);
    }

    private static void awaitNothingUndecided(PerigeeProcess names) throws Exception {
        try (AdminClient admin = AdminClient.builder()
                .nameServers(names.target().namesrv())
                .callTimeoutMs(CALL_MS)
                .timeoutMs(CALL_MS)
                .build()) {
            admin.start();
            Awaitility.await("an end of all transactions")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(200))
                    .during(Duration.ofSeconds(2)) // the last send may be under way
                    .until(
                            () -> admin.transactions().undecided(null, null, 10).stream()
                                    .map(Undecided::half)
                                    .toList(),
                            List::isEmpty);
        }
    }

    private static List<String> delivered(RemotingClient client, String address) throws Exception {
        List<String> bodies = new ArrayList<>();
        while (true) {
            PullMessageHeader header = new PullMessageHeader(
                    "TOOLS_CONSUMER", SenderMain.TOPIC, 0, bodies.size(), 32, 4, 0, 0, "*", 0, "TAG", 0, 0, null, null);
            Answer<?> answer = client.callBlocking(
                    address, Rpcs.PULL_MESSAGE, header, new byte[0], Deadline.after(Clock.system(), CALL_MS));
            if (answer.code() != 0) {
                return bodies;
            }
            MessageDecoder.decodeAll(ByteBuffer.wrap(answer.body()), "broker-a").stream()
                    .map(MessageExt::bodyText)
                    .forEach(bodies::add);
        }
    }

    private void check(List<String> delivered) throws IOException {
        Map<String, TransactionState> decided = ledger.all();
        List<String> committed = decided.entrySet().stream()
                .filter(entry -> entry.getValue() == TransactionState.COMMIT)
                .map(Map.Entry::getKey)
                .toList();
        assertThat(delivered).doesNotHaveDuplicates();
        assertThat(delivered).containsExactlyInAnyOrderElementsOf(committed);
        assertThat(delivered)
                .as("that nobody spoke of unless asked")
                .anyMatch(SenderMain::isSilent)
                .as("of a sender that was killed")
                .anyMatch(body -> body.startsWith("sender1-"));
        assertThat(decided.size()).isGreaterThan(2 * ROUNDS * PER_KILL);
    }
}
