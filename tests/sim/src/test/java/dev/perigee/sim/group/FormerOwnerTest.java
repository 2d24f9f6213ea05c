package dev.perigee.sim.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.sim.cluster.Cable;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.SlowCall;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Ledger;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A member that has lost a queue, and what it sent about it before it knew who has the queue now (ADR 0015). */
final class FormerOwnerTest {
    private static final String TOPIC = "T";
    /** Longer than the lock of a member lives that cannot give it back, shorter than one is a member that is not heard of. */
    private static final long PATIENCE_MS = 100_000;

    private static final long STEP_MS = 250;
    /** Less than closing waits for calls, longer than queues take to change hands. */
    private static final long SLOW_MS = 9_000;

    private final List<MessageQueue> queues = IntStream.range(0, 4)
            .mapToObj(id -> new MessageQueue(TOPIC, "broker-a", id))
            .toList();

    @TempDir
    private Path folder;

    private Cluster cluster;
    private Ledger ledger;
    private Sender sender;
    private Auditor auditor;
    private Group group = group(Group.Kind.CONCURRENT);
    private long listenerTakesMs;

    @BeforeEach
    void start() throws Exception {
        cluster = new Cluster(1, folder);
        ledger = new Ledger(cluster.clock());
        sender = new Sender(1, TOPIC, cluster, ledger);
        auditor = new Auditor(cluster);
        sender.start();
        sender.send(null); // makes the topic
        await("the topic is there", sender::isEverySendAnswered);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(
            value = Group.Kind.class,
            names = {"CONCURRENT", "ORDERLY"})
    void itsCommitMovesNothingBackHoweverLateItComes(Group.Kind kind) {
        group = group(kind);
        Cable former = cluster.cable();
        join("former", former);
        sendToAll(5);
        await("everything is committed", () -> finished().size() == queues.size());
        sendToAll(2);
        cluster.pass(STEP_MS);
        former.holdBack(RequestCode.UPDATE_CONSUMER_OFFSET);
        join("next", cluster.cable());
        await("the former owner gives queues up", former::isHoldingBack);
        sendToAll(5);
        await("the next owner has consumed its queues", () -> finished().size() == queues.size() / 2);
        List<MessageQueue> handedOver = finished();
        assertThat(former.isHoldingBack())
                .as("the former owner is still connected")
                .isTrue();

        former.letGo();
        cluster.settle();

        assertThat(finished()).as("queues consumed to their ends").containsAll(handedOver);
        await("everything is consumed", () -> finished().size() == queues.size());
    }

    /** Of members that consume in order the next one waits for the locks. */
    @Test
    void itsLastCommitMovesNothingBackThoughItComesOverANewConnection() {
        Cable former = cluster.cable();
        PushConsumer leaving = join("former", former);
        sendToAll(5);
        await("everything is committed", () -> finished().size() == queues.size());
        listenerTakesMs = SLOW_MS;
        sendToAll(2);
        cluster.pass(STEP_MS);
        listenerTakesMs = 0;
        CompletableFuture<Void> left = leaving.closeAsync();
        cluster.settle();
        assertThat(left).as("a call is under way").isNotDone();
        former.cut();
        join("next", cluster.cable());
        sendToAll(5);
        await("the next owner has consumed everything", () -> finished().size() == queues.size());
        assertThat(left).as("a call is under way").isNotDone();

        await("the former owner has left", left::isDone);

        assertThat(finished()).as("queues consumed to their ends").hasSize(queues.size());
    }

    private static Group group(Group.Kind kind) {
        return new Group("group", kind, 16, 900_000, 1);
    }

    private PushConsumer join(String name, Cable cable) {
        PushConsumerBuilder builder = cluster.in(PushConsumer.builder(), cable)
                .instanceName(name)
                .group(group.name())
                .subscribe(TOPIC, "*")
                .consumeFrom(ConsumeFrom.firstOffset())
                .executor(cluster.calls().of(name, 100));
        PushConsumer member = group.isOrderly()
                ? builder.orderlyListener(messages -> consume()).build()
                : builder.listener(messages -> consume()).build();
        cluster.add(member.loop());
        CompletableFuture<Void> started = member.startAsync();
        await(name + " is a member", started::isDone);
        return member;
    }

    private ConsumeResult consume() {
        if (listenerTakesMs > 0) {
            SlowCall.take(listenerTakesMs);
        }
        return ConsumeResult.SUCCESS;
    }

    private void sendToAll(int messages) {
        for (int i = 0; i < messages; i++) {
            queues.forEach(sender::send);
        }
        await("all is stored", sender::isEverySendAnswered);
    }

    /** The queues at whose end the group stands. */
    private List<MessageQueue> finished() {
        return queues.stream()
                .filter(queue -> auditor.offset(group, queue).orElse(-1) == end(queue))
                .toList();
    }

    private long end(MessageQueue queue) {
        return Objects.requireNonNull(ledger.acknowledged().get(queue)).lastKey() + 1;
    }

    private void await(String what, BooleanSupplier condition) {
        assertThat(cluster.passUntil(condition, PATIENCE_MS, STEP_MS)).as(what).isTrue();
    }
}
