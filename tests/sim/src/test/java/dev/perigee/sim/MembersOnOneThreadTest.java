package dev.perigee.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.cluster.Machine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** Three brokers of a group, a name server, and our own producer and consumer, on one thread, by seeds. */
final class MembersOnOneThreadTest {
    private static final long SEEDS = 5;
    private static final String TOPIC = "orders";
    private static final long PATIENCE_MS = 60_000;
    private static final long STEP_MS = 10;
    private static final long SOON_MS = 5_000;

    private final Set<String> consumed = new TreeSet<>();

    private static BrokerMachine master(Cluster cluster) {
        assertThat(cluster.passUntil(
                        () -> cluster.brokers().stream()
                                        .filter(BrokerMachine::serves)
                                        .count()
                                == 1,
                        PATIENCE_MS,
                        STEP_MS))
                .as("one of them serves as the master")
                .isTrue();
        return cluster.brokers().stream()
                .filter(BrokerMachine::serves)
                .findFirst()
                .orElseThrow();
    }

    private static Producer producer(Cluster cluster, long seed) throws Exception {
        Producer producer = cluster.in(Producer.builder(), cluster.cable("producer"))
                .instanceName("producer")
                .group("senders")
                .random(new Random(seed))
                .build();
        cluster.add(producer.loop());
        producer.start();
        return producer;
    }

    private void consume(Cluster cluster) {
        PushConsumer consumer = cluster.in(PushConsumer.builder(), cluster.cable("consumer"))
                .instanceName("consumer")
                .group("readers")
                .subscribe(TOPIC, "*")
                .consumeFrom(ConsumeFrom.firstOffset())
                .executor(cluster.calls().of("consumer", 0))
                .listener(messages -> {
                    messages.forEach(message -> consumed.add(message.bodyText()));
                    return ConsumeResult.SUCCESS;
                })
                .build();
        cluster.add(consumer.loop());
        CompletableFuture<?> started = consumer.startAsync();
        assertThat(cluster.passUntil(started::isDone, PATIENCE_MS, STEP_MS)).isTrue();
    }

    /** Sends until one is acknowledged; gives how long that took. */
    private static long send(Cluster cluster, Producer producer, String body) {
        long beganMs = cluster.clock().monotonicMs();
        while (cluster.clock().monotonicMs() - beganMs < PATIENCE_MS) {
            CompletableFuture<SendResult> sent = producer.sendAsync(
                    Message.builder(TOPIC).body(body).waitForStore(true).build());
            assertThat(cluster.passUntil(sent::isDone, PATIENCE_MS, STEP_MS)).isTrue();
            if (!sent.isCompletedExceptionally() && sent.join().status() == SendStatus.SEND_OK) {
                return cluster.clock().monotonicMs() - beganMs;
            }
            cluster.pass(STEP_MS); // a route without a master fails at once
        }
        throw new AssertionError(body + " was not acknowledged within " + PATIENCE_MS + " ms");
    }

    private void awaitConsumed(Cluster cluster, String body) {
        assertThat(cluster.passUntil(() -> consumed.contains(body), PATIENCE_MS, STEP_MS))
                .as("%s among %s", body, consumed)
                .isTrue();
    }

    @Seeded(count = SEEDS)
    void whatWasAcknowledgedIsConsumedAndSendsGoOnWhenTheMasterIsKilled(long seed, @TempDir Path folder)
            throws Exception {
        Cluster cluster = new Cluster(seed, folder, Layout.group(1, 3, true));
        BrokerMachine first = master(cluster);
        Producer producer = producer(cluster, seed);
        long unused = send(cluster, producer, "before");

        first.end(Machine.End.KILLED);
        BrokerMachine second = master(cluster);
        assertThat(second).isNotEqualTo(first);
        consume(cluster);
        awaitConsumed(cluster, "before");
        unused = send(cluster, producer, "after");
        awaitConsumed(cluster, "after");

        first.start();
        second.end(Machine.End.POWER_LOST);
        BrokerMachine third = master(cluster);
        assertThat(third).isNotEqualTo(second);
        unused = send(cluster, producer, "again");
        awaitConsumed(cluster, "again");
    }

    /** It shares no routes with the producer, which looks for the new master by itself. */
    @Seeded(count = SEEDS)
    void aConsumerOfTheMasterThatIsKilledGoesOnSoon(long seed, @TempDir Path folder) throws Exception {
        aConsumerGoesOn(
                new Cluster(seed, folder, Layout.group(1, 3, true)),
                seed,
                SOON_MS,
                master -> master.end(Machine.End.KILLED));
    }

    /** It answers nothing, and its connections stay; what it was asked for waits at it. */
    @Seeded(count = SEEDS)
    void aConsumerOfAMasterThatStandsStillGoesOnSoon(long seed, @TempDir Path folder) throws Exception {
        aConsumerGoesOn(new Cluster(seed, folder, Layout.group(1, 3, true)), seed, 2 * SOON_MS, BrokerMachine::freeze);
    }

    private void aConsumerGoesOn(Cluster cluster, long seed, long withinMs, Consumer<BrokerMachine> failure)
            throws Exception {
        BrokerMachine first = master(cluster);
        Producer producer = producer(cluster, seed);
        long unused = send(cluster, producer, "before");
        consume(cluster);
        awaitConsumed(cluster, "before");

        failure.accept(first);
        unused = send(cluster, producer, "after");
        assertThat(cluster.passUntil(() -> consumed.contains("after"), withinMs, STEP_MS))
                .as("what was acknowledged is consumed within %d ms", withinMs)
                .isTrue();
    }

    /** What comes while nobody takes it is kept, and handed to whoever does. */
    @Seeded(count = SEEDS)
    void noSendFailsWhileAnotherOneIsMadeTheMaster(long seed, @TempDir Path folder) throws Exception {
        Cluster cluster = new Cluster(seed, folder, Layout.group(1, 3, true));
        BrokerMachine first = master(cluster);
        Producer producer = producer(cluster, seed);
        long unused = send(cluster, producer, "before");
        RemotingClient tool = new RemotingClient(ClientConfig.DEFAULT, cluster.cable("tool"), cluster.clock());

        CompletableFuture<?> ordered = tool.call(
                first.address(),
                Rpcs.RAFT_ORDER,
                new RaftOrderHeader(RaftOrderHeader.TRANSFER, null, null, null),
                null,
                Deadline.after(cluster.clock(), PATIENCE_MS));
        List<CompletableFuture<SendResult>> sends = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            sends.add(producer.sendAsync(
                    Message.builder(TOPIC).body("m" + i).waitForStore(true).build()));
            cluster.pass(STEP_MS);
        }
        assertThat(cluster.passUntil(() -> sends.stream().allMatch(CompletableFuture::isDone), PATIENCE_MS, STEP_MS))
                .isTrue();
        assertThat(ordered).isCompleted();
        assertThat(master(cluster)).isNotEqualTo(first);
        assertThat(sends).allSatisfy(sent -> {
            assertThat(sent).isCompleted();
            assertThat(sent.join().status()).isEqualTo(SendStatus.SEND_OK);
        });
        consume(cluster);
        for (int i = 0; i < 100; i++) {
            awaitConsumed(cluster, "m" + i);
        }
    }

    /** A load that goes on, and an operator who gives an order until it is obeyed. */
    private record Shift(
            Cluster cluster, Producer producer, RemotingClient tool, List<CompletableFuture<SendResult>> sends) {
        void order(String order, BrokerMachine member, @Nullable String nodeId, @Nullable String address) {
            RaftOrderHeader header = new RaftOrderHeader(order, member.memberId(), nodeId, address);
            long limitMs = cluster.clock().monotonicMs() + PATIENCE_MS;
            Answer<?> answer = null;
            while (answer == null || !answer.isOk()) {
                assertThat(cluster.clock().monotonicMs())
                        .as("when %s was answered %s", header, answer)
                        .isLessThan(limitMs);
                CompletableFuture<? extends Answer<?>> asked = tool.call(
                        master(cluster).address(),
                        Rpcs.RAFT_ORDER,
                        header,
                        null,
                        Deadline.after(cluster.clock(), PATIENCE_MS));
                while (!asked.isDone()) {
                    send();
                }
                answer = asked.isCompletedExceptionally() ? null : asked.join();
                send();
            }
        }

        void send() {
            sends.add(producer.sendAsync(Message.builder(TOPIC)
                    .body("m" + sends.size())
                    .waitForStore(true)
                    .build()));
            cluster.pass(STEP_MS);
        }
    }

    private static long voters(BrokerMachine machine) {
        return machine.log()
                .flatMap(log -> log.members(log.confirmOffset()).last())
                .map(fact -> fact.members().voters().size())
                .orElse(0);
    }

    @Seeded(count = 2)
    void noSendFailsWhileTheMasterLeavesAndComesAgainWithAnEmptyDisk(long seed, @TempDir Path folder) throws Exception {
        Cluster cluster = new Cluster(seed, folder, Layout.group(1, 3, true));
        BrokerMachine first = master(cluster);
        Producer producer = producer(cluster, seed);
        long unused = send(cluster, producer, "before");
        RemotingClient tool = new RemotingClient(ClientConfig.DEFAULT, cluster.cable("tool"), cluster.clock());
        Shift shift = new Shift(cluster, producer, tool, new ArrayList<>());

        shift.order(RaftOrderHeader.REMOVE, first, null, null);
        assertThat(cluster.passUntil(() -> !first.serves() && voters(master(cluster)) == 2, PATIENCE_MS, STEP_MS))
                .as("it has left")
                .isTrue();
        first.end(Machine.End.KILLED);
        first.wipe();
        first.start();
        shift.order(RaftOrderHeader.ADD, first, first.nodeId().orElseThrow(), first.memberAddress());
        shift.order(RaftOrderHeader.PROMOTE, first, null, null);
        assertThat(cluster.passUntil(() -> voters(master(cluster)) == 3, PATIENCE_MS, STEP_MS))
                .as("it votes")
                .isTrue();
        assertThat(cluster.passUntil(
                        () -> shift.sends().stream().allMatch(CompletableFuture::isDone), PATIENCE_MS, STEP_MS))
                .isTrue();
        assertThat(shift.sends()).allSatisfy(sent -> {
            assertThat(sent).isCompleted();
            assertThat(sent.join().status()).isEqualTo(SendStatus.SEND_OK);
        });

        master(cluster).end(Machine.End.POWER_LOST);
        unused = send(cluster, producer, "with its vote");
        consume(cluster);
        for (int i = 0; i < shift.sends().size(); i++) {
            awaitConsumed(cluster, "m" + i);
        }
        awaitConsumed(cluster, "before");
        awaitConsumed(cluster, "with its vote");
    }
}
