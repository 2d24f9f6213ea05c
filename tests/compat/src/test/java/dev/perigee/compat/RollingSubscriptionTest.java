package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.Received;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.own.PerigeeProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The members of a group are restarted one by one with a wider subscription, as in a release, while messages of both tags are sent; one of
 * the old release comes back meanwhile, so that the last word the broker heard is the old one. What can be promised (ADR 0016): what both
 * releases want is consumed whole; what only the new one wants is consumed of every queue that a member of the new release has. What a
 * queue's owner does not want is passed over.
 */
@Tag("full")
class RollingSubscriptionTest {
    private static final String GROUP = "rolling-group";
    private static final int QUEUES = 4;
    /** Enough for each side to send several heartbeats, one a second, while they are sent. */
    private static final int MANY = 300;

    private final List<StockConsumer> oldRelease = new ArrayList<>();
    private final List<StockConsumer> newRelease = new ArrayList<>();
    /** How much had been sent when the member that came back had its queues, and when it left. */
    private int from;

    private int to;

    @Test
    void aRollingChangeOfTagsLosesNothing(@TempDir Path folder) throws Exception {
        try (PerigeeProcess perigee = PerigeeProcess.up(folder.resolve("perigee"))) {
            OwnBench bench = new OwnBench(perigee.target(), folder);
            String topic = bench.topic("rolling", QUEUES);
            String namesrv = perigee.target().namesrv();
            try (StockDriver five = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("five"), namesrv);
                    StockDriver four = StockDriver.impatient(StockPeer.CLIENT4, folder.resolve("four"), namesrv)) {
                List<Traffic.Known> sent;
                try (Traffic traffic = new Traffic(bench, List.of(topic), List.of("A", "B"))) {
                    release(topic, five, four, traffic);
                    sent = traffic.stop();
                }
                nothingIsMissing(sent);
            }
        }
    }

    private void release(String topic, StockDriver five, StockDriver four, Traffic traffic) {
        StockConsumer oldFive = started(oldRelease, five, topic, "A");
        StockConsumer oldFour = started(oldRelease, four, topic, "A");
        bothRead(oldFive, oldFour, traffic);
        oldFour.close();
        StockConsumer newFour = started(newRelease, four, topic, "A || B");
        bothRead(oldFive, newFour, traffic);
        oldFive.close();
        StockConsumer back = started(oldRelease, five, topic, "A");
        from = bothRead(back, newFour, traffic);
        to = traffic.known().size();
        back.close();
        StockConsumer newFive = started(newRelease, five, topic, "A || B");
        bothRead(newFive, newFour, traffic);
    }

    private static StockConsumer started(List<StockConsumer> release, StockDriver driver, String topic, String tags) {
        StockConsumer consumer = driver.consumer(GROUP, topic, "expr", tags);
        release.add(consumer);
        return consumer;
    }

    /** Until each has two queues and many messages were sent since then; returns how many there had been before. */
    private static int bothRead(StockConsumer one, StockConsumer other, Traffic traffic) {
        await("both have their queues")
                .atMost(OwnBench.PATIENCE)
                .until(() -> queues(one) == QUEUES / 2 && queues(other) == QUEUES / 2);
        int before = traffic.known().size();
        await("messages").atMost(OwnBench.PATIENCE).until(() -> traffic.known().size() >= before + MANY);
        return before;
    }

    private static long queues(StockConsumer consumer) {
        return consumer.owned().stream()
                .filter(queue -> !queue.topic().startsWith("%"))
                .count();
    }

    private void nothingIsMissing(List<Traffic.Known> sent) {
        await("every message that was promised").atMost(OwnBench.PATIENCE).untilAsserted(() -> {
            Set<String> old = places(oldRelease);
            Set<String> got = places(newRelease);
            assertThat(sent)
                    .filteredOn(one -> one.tag().equals("A"))
                    .extracting(one -> place(one, 0))
                    .allMatch(place -> old.contains(place) || got.contains(place));
            // Of each queue the messages before and behind a B are As: who got both, and alone, has read past the B.
            List<Traffic.Known> promised = sent.stream()
                    .filter(one -> one.tag().equals("B"))
                    .filter(one -> Stream.of(place(one, -1), place(one, 1))
                            .allMatch(place -> got.contains(place) && !old.contains(place)))
                    .toList();
            assertThat(promised).extracting(one -> place(one, 0)).isSubsetOf(got);
            assertThat(promised)
                    .as("of the queues of the new release while an old member had come back")
                    .filteredOn(sent.subList(from, to)::contains)
                    .hasSizeGreaterThan(MANY / 8);
        });
        assertThat(oldRelease.stream().flatMap(one -> one.received().stream()))
                .extracting(Received::tags)
                .containsOnly("A");
    }

    private static String place(Traffic.Known message, int beside) {
        return message.queue().queueId() + "/" + (message.offset() + beside);
    }

    private static Set<String> places(List<StockConsumer> release) {
        return release.stream()
                .flatMap(consumer -> consumer.received().stream())
                .map(message -> message.queueId() + "/" + message.queueOffset())
                .collect(Collectors.toSet());
    }
}
