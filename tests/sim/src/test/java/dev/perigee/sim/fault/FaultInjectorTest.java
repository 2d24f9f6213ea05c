package dev.perigee.sim.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.Completion;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.sim.watch.LogInvariant;
import dev.perigee.sim.watch.LogWatch;
import dev.perigee.store.view.LogEntry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each fault does what it is called: a run in which nothing goes wrong holds too. */
@SuppressWarnings("NullAway.Init") // each test begins with start()
final class FaultInjectorTest {
    private static final long AT_MS = 5_000;
    private static final MessageQueue QUEUE = new MessageQueue("T", "broker-a", 0);

    @TempDir
    private Path folder;

    private final Verdict verdict = new Verdict();
    private final List<String> notes = new ArrayList<>();
    private final List<String> bodies = new ArrayList<>();
    private Cluster cluster;
    private FaultInjector faults;
    private Producer producer;

    /** A cluster whose topic is there, at the time of the events. */
    private void start(String events) throws Exception {
        cluster = new Cluster(3, folder, Layout.of(1, 1));
        LogWatch watch = new LogWatch(cluster, verdict);
        watch.add(new LogInvariant() {
            @Override
            public void confirmed(BrokerMachine machine, LogEntry entry) {
                if (entry.topic().equals("T")) {
                    bodies.add(
                            StandardCharsets.UTF_8.decode(entry.frame().body()).toString());
                }
            }
        });
        faults = new FaultInjector(cluster, FaultPlan.read(events), notes::add, watch::byteOfFrame);
        producer = cluster.in(Producer.builder(), cluster.cable("producer"))
                .instanceName("producer")
                .group("senders")
                .build();
        cluster.add(producer.loop());
        cluster.pass(1_000);
        producer.start();
        CompletableFuture<SendResult> first = producer.sendAsync(Message.of("T", "first"));
        cluster.pass(AT_MS - 1_000);
        assertThat(first).isCompleted();
        bodies.clear();
    }

    @AfterEach
    void everythingElseHolds() {
        assertThat(verdict.problem()).isEmpty();
        assertThat(faults.problems()).isEmpty();
    }

    private CompletableFuture<SendResult> send(String body) {
        return producer.sendAsync(Message.of("T", body), QUEUE);
    }

    private boolean isDoneAfter(long ms, CompletableFuture<?> sent) {
        cluster.pass(ms);
        return sent.isDone();
    }

    @Test
    void aPartitionHoldsFramesUntilItIsOver() throws Exception {
        start("5000:PART:producer:broker-a:2000:0");
        CompletableFuture<SendResult> sent = send("held");

        assertThat(isDoneAfter(1_900, sent)).isFalse();
        assertThat(bodies).isEmpty();
        assertThat(isDoneAfter(200, sent)).isTrue();
        assertThat(bodies).containsExactly("held");
    }

    @Test
    void aPartitionOfOneWayHoldsTheAnswerOnly() throws Exception {
        start("5000:PART_ONE_WAY:broker-a:producer:2000:0");
        CompletableFuture<SendResult> sent = send("stored");

        assertThat(isDoneAfter(1_900, sent)).isFalse();
        assertThat(bodies).containsExactly("stored");
        assertThat(isDoneAfter(200, sent)).isTrue();
    }

    @Test
    void lostFramesNeverArrive() throws Exception {
        start("5000:LOSE:producer:broker-a:1000:100");
        CompletableFuture<SendResult> sent = send("lost");

        assertThat(isDoneAfter(2_000, sent)).isFalse();
        assertThat(bodies).isEmpty();
        assertThat(isDoneAfter(8_000, sent)).isTrue();
        assertThat(sent).isCompletedExceptionally();
        assertThat(bodies).isEmpty();
    }

    @Test
    void doubledFramesArriveTwice() throws Exception {
        start("5000:DOUBLE:producer:broker-a:1000:100");

        assertThat(isDoneAfter(100, send("twice"))).isTrue();
        assertThat(bodies).containsExactly("twice", "twice");
    }

    @Test
    void framesOvertakeEachOther() throws Exception {
        start("5000:OVERTAKE:client:broker-a:3000:1000");
        List<Integer> answered = ask(20);

        assertThat(answered).containsExactlyInAnyOrderElementsOf(inOrder(20)).isNotEqualTo(inOrder(20));
    }

    @Test
    void lateFramesKeepTheirOrder() throws Exception {
        start("5000:DELAY:client:broker-a:3000:1000");

        assertThat(ask(20)).isEqualTo(inOrder(20));
    }

    private static List<Integer> inOrder(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    /** Asks a broker so many times, a frame each; gives the order in which the answers came. */
    private List<Integer> ask(int count) {
        RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, cluster.cable("client"), cluster.clock());
        List<Integer> answered = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            Completion.on(
                    client.call(
                            cluster.machine().address(),
                            Rpcs.QUERY_CONSUMER_OFFSET,
                            new QueryOffsetHeader("g", "T", 0, false),
                            null,
                            Deadline.after(cluster.clock(), 3_000)),
                    (answer, failure) -> answered.add(number));
            cluster.pass(1);
        }
        assertThat(answered).hasSizeLessThan(count);
        cluster.pass(1_100);
        return answered;
    }

    @Test
    void aFrozenProcessAnswersWhenItGoesOn() throws Exception {
        start("5000:FREEZE:broker-a:-:2000:0");
        CompletableFuture<SendResult> sent = send("cold");

        assertThat(isDoneAfter(1_900, sent)).isFalse();
        assertThat(isDoneAfter(200, sent)).isTrue();
        assertThat(notes).noneMatch(line -> line.startsWith("started"));
    }

    @Test
    void nothingIsAcknowledgedWhileTheDiskStallsAndItIsLostWithThePower() throws Exception {
        start("5000:STALL:broker-a:-:2000:0,10000:STALL:broker-a:-:2000:0,11000:POWER_LOSS:broker-a:-:500:0");
        CompletableFuture<SendResult> sent = send("late");

        assertThat(isDoneAfter(1_900, sent)).isFalse();
        assertThat(bodies).isEmpty();
        assertThat(isDoneAfter(200, sent)).isTrue();
        assertThat(bodies).containsExactly("late");
        cluster.pass(3_000);
        assertThat(isDoneAfter(800, send("lost"))).isFalse();
        cluster.pass(10_000);
        assertThat(notes).contains("started broker-a");
    }

    @Test
    void whatEndsIsStartedAgainAndHasWhatItConfirmed() throws Exception {
        start("5000:KILL:broker-a:-:1000:3,9000:POWER_LOSS:broker-a:-:1000:3,13000:RESTART:broker-a:-:1000:0,"
                + "17000:LOSE_VIEWS:broker-a:-:1000:0,20000:KILL:ns-1:-:1000:0");
        List<CompletableFuture<SendResult>> sent = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            sent.add(send("m" + i));
            cluster.pass(500);
        }
        cluster.pass(10_000);

        assertThat(notes)
                .filteredOn(line -> line.startsWith("started"))
                .containsExactly(
                        "started broker-a", "started broker-a", "started broker-a", "started broker-a", "started ns-1");
        assertThat(sent).allMatch(CompletableFuture::isDone);
        assertThat(bodies).contains("m39");
        for (int i = 0; i < sent.size(); i++) {
            assertThat(bodies.contains("m" + i) || sent.get(i).isCompletedExceptionally())
                    .as("m%d is stored, or its sender knows that it may not be", i)
                    .isTrue();
        }
    }

    @Test
    void aProcessEndsInACallOfItsDisk() throws Exception {
        start("5000:KILL_IN_CALL:broker-a:-:0:2,10000:POWER_LOSS_IN_CALL:broker-a:-:0:2");
        CompletableFuture<SendResult> one = send("one");
        cluster.pass(5_000);
        CompletableFuture<SendResult> two = send("two");
        cluster.pass(10_000);

        assertThat(notes).filteredOn(line -> line.startsWith("started")).hasSize(2);
        assertThat(List.of(one, two)).allMatch(CompletableFuture::isDone);
    }

    @Test
    void nothingStartsOnARottenLogBeforeItIsMended() throws Exception {
        start("5000:ROT:broker-a:-:3000:17");
        cluster.pass(2_900);

        assertThat(cluster.machine().isUp()).isFalse();
        assertThat(faults.refusals()).isPositive();
        cluster.pass(2_000);
        assertThat(cluster.machine().isUp()).isTrue();
        assertThat(notes).contains("mended broker-a", "started broker-a");
    }

    @Test
    void aFullDiskTakesNothingUntilThereIsRoom() throws Exception {
        start("5000:FILL:broker-a:-:3000:0,12000:FAIL_FORCE:broker-a:-:0:0,16000:FAIL_WRITE:broker-a:-:0:0");
        assertThat(send("the next write looks at the disk")).isNotNull();
        cluster.pass(2_000);
        bodies.clear();
        CompletableFuture<SendResult> refused = send("refused");
        cluster.pass(500);
        assertThat(bodies).isEmpty();

        cluster.pass(AT_MS);
        assertThat(refused).isDone();
        for (int i = 0; i < 20; i++) {
            assertThat(send("m" + i)).isNotNull();
            cluster.pass(500);
        }
        assertThat(notes).filteredOn(line -> line.startsWith("started")).hasSize(2);
    }

    @Test
    void aClockThatWasSetLongBeforeAnEndMakesNothingEarly() throws Exception {
        start("5000:CLOCK:broker-a:-:0:60000,9000:RESTART:broker-a:-:1000:0");
        cluster.pass(10_000);
        assertThat(faults.mayBeEarly("broker-a")).isFalse();
    }

    @Test
    void calmEndsAllOfIt() throws Exception {
        start("5000:PART:producer:broker-a:60000:0,5000:FREEZE:broker-a:-:60000:0,5001:KILL:ns-1:-:60000:0,"
                + "40000:KILL:broker-a:-:60000:0");
        cluster.pass(500);
        faults.calm();
        cluster.pass(60_000);

        assertThat(isDoneAfter(100, send("sound"))).isTrue();
        assertThat(notes).noneMatch(line -> line.contains("40000"));
    }
}
