package dev.perigee.client.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.client.fake.ManualClock;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.trace.TraceRecord;
import dev.perigee.protocol.trace.TraceRecords;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What becomes of notes: in which messages they leave, and when they are lost. */
final class TraceWriterTest {
    private final ManualClock clock = new ManualClock();
    private final Outlet outlet = new Outlet();
    private final TraceWriter writer = new TraceWriter("RMQ_SYS_TRACE_TOPIC", outlet);

    /** Keeps what it is given; its answers are the test's. */
    private final class Outlet implements TraceOutlet {
        private final ClientLoop loop = new ClientLoop("trace", clock);
        private final List<Message> messages = new ArrayList<>();
        private final List<CompletableFuture<String>> answers = new ArrayList<>();
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch pause = new CountDownLatch(1);
        private boolean isPausing;
        private int closes;

        @Override
        public void start() {}

        @Override
        public CompletableFuture<?> send(Message message) {
            if (isPausing) {
                entered.countDown();
                try {
                    pause.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            if (closes > 0) {
                return CompletableFuture.failedFuture(new IllegalStateException("closed"));
            }
            messages.add(message);
            CompletableFuture<String> answer = new CompletableFuture<>();
            answers.add(answer);
            return answer;
        }

        @Override
        public ClientLoop loop() {
            return loop;
        }

        @Override
        public void close() {
            closes++;
            answers.forEach(answer -> answer.complete("stored before the end"));
        }

        List<TraceRecord> records() {
            return messages.stream()
                    .flatMap(message -> TraceRecords.of(message.bodyText()).records().stream())
                    .toList();
        }
    }

    private static TraceRecord sent(String id, String keys) {
        return new TraceRecord.Sent(
                7, "r", "g", "T", id, null, keys, "h:1", 1, 2, TraceRecord.Kind.NORMAL, null, true, null);
    }

    private void note(int count) {
        for (int i = 0; i < count; i++) {
            writer.note(List.of(sent("id" + i, "k" + i)));
        }
    }

    private void step() {
        outlet.loop.doWork(clock.monotonicMs());
    }

    @Test
    void notesLeaveTogetherAfterASecondAndAreFoundByIdAndByKeys() {
        writer.start();
        step();
        writer.note(List.of(sent("id1", "a b"), sent("id2", "b")));
        clock.advanceMs(TraceWriter.FLUSH_MS - 1);
        step();
        assertThat(outlet.messages).isEmpty();
        clock.advanceMs(1);
        step();
        assertThat(outlet.messages).singleElement().satisfies(message -> {
            assertThat(message.topic()).isEqualTo("RMQ_SYS_TRACE_TOPIC");
            assertThat(message.keys()).containsExactly("id1", "a", "b", "id2");
        });
        assertThat(outlet.records()).containsExactly(sent("id1", "a b"), sent("id2", "b"));
        assertThat(writer.metrics()).isEqualTo(new TraceMetrics(2, 0, 0, 0));
        outlet.answers.get(0).complete("stored");
        assertThat(writer.metrics()).isEqualTo(new TraceMetrics(2, 2, 0, 0));
    }

    @Test
    void aFullMessageLeavesAtOnce() {
        writer.start();
        step();
        note(TraceWriter.MAX_BATCH);
        step();
        assertThat(outlet.messages).hasSize(1);
        note(2 * TraceWriter.MAX_BATCH + 1);
        step();
        assertThat(outlet.messages).hasSize(4);
        assertThat(outlet.records()).hasSize(3 * TraceWriter.MAX_BATCH + 1);
    }

    @Test
    void notesBeyondTheLimitAreDroppedAndCounted() {
        note(TraceWriter.MAX_WAITING + 5);
        assertThat(writer.metrics())
                .isEqualTo(new TraceMetrics(TraceWriter.MAX_WAITING, 0, 5, TraceWriter.MAX_WAITING));
    }

    @Test
    void notesOfAMessageThatFailedAreCountedAsDropped() {
        writer.start();
        note(TraceWriter.MAX_BATCH);
        step();
        outlet.answers.get(0).completeExceptionally(new IllegalStateException("expected by the test"));
        assertThat(writer.metrics()).isEqualTo(new TraceMetrics(TraceWriter.MAX_BATCH, 0, TraceWriter.MAX_BATCH, 0));
    }

    @Test
    void theCloseSendsWhatWaitsAndNotesAfterItAreDroppedNotNoted() {
        writer.start();
        note(3);
        writer.close();
        assertThat(outlet.records()).hasSize(3);
        assertThat(outlet.closes).isEqualTo(1);
        writer.note(List.of(sent("late", "k")));
        writer.close();
        assertThat(outlet.closes).isEqualTo(1);
        assertThat(writer.metrics()).isEqualTo(new TraceMetrics(3, 3, 1, 0));
    }

    @Test
    void theCloseWaitsForNotesThatAreJustBeingHandedOver() throws Exception {
        writer.start();
        note(TraceWriter.MAX_BATCH);
        outlet.isPausing = true;
        Thread loop = new Thread(this::step, "loop of the test");
        loop.start();
        outlet.entered.await();
        Thread closer = new Thread(writer::close, "closer of the test");
        closer.start();
        await().atMost(ONE_MINUTE).until(() -> closer.getState() == Thread.State.WAITING || !closer.isAlive());
        outlet.pause.countDown();
        closer.join();
        loop.join();
        assertThat(outlet.closes).isEqualTo(1);
        assertThat(writer.metrics()).isEqualTo(new TraceMetrics(TraceWriter.MAX_BATCH, TraceWriter.MAX_BATCH, 0, 0));
    }

    @Test
    void theFirstLossIsInTheLogAndThenEachDoublingWithItsReason() {
        Logger logger = (Logger) LoggerFactory.getLogger(TraceWriter.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            note(TraceWriter.MAX_WAITING + 7);
            assertThat(log.list).extracting(ILoggingEvent::getLevel).containsOnly(Level.WARN);
            assertThat(log.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .hasSize(3)
                    .allSatisfy(line -> assertThat(line)
                            .contains(
                                    "event=trace_not_written", "topic=RMQ_SYS_TRACE_TOPIC", "too many wait limit=4096"))
                    .satisfies(lines -> assertThat(lines.get(0)).contains("droppedSoFar=1 "))
                    .satisfies(lines -> assertThat(lines.get(2)).contains("droppedSoFar=4 "));
            writer.start();
            step();
            outlet.answers.get(0).completeExceptionally(new IllegalStateException("expected by the test"));
            assertThat(log.list.get(3).getFormattedMessage())
                    .contains("droppedSoFar=" + (7 + TraceWriter.MAX_BATCH), "expected by the test");
        } finally {
            logger.detachAppender(log);
        }
    }

    @Test
    void keysThatHaveNoRoomInAMessageAreLeftOutAndTheIdStays() {
        String many = String.join(
                " ", IntStream.range(0, 2_000).mapToObj(i -> "key" + i).toList());
        writer.start();
        writer.note(List.of(sent("id", many)));
        writer.close();
        assertThat(outlet.messages.get(0).keys()).containsExactly("id");
        assertThat(outlet.records()).containsExactly(sent("id", many));
    }

    @Test
    void notesWithManyKeysAreSpreadOverMessagesWithoutLosingAny() {
        String some = String.join(
                " ", IntStream.range(0, 500).mapToObj(i -> "key-" + i).toList());
        writer.start();
        for (int i = 0; i < 5; i++) {
            writer.note(List.of(sent("id" + i, some)));
        }
        writer.close();
        assertThat(outlet.messages.size())
                .as("two notes have room in a message")
                .isEqualTo(3);
        assertThat(Set.copyOf(outlet.records())).hasSize(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "bad topic", "SCHEDULE_TOPIC_XXXX", "RMQ_SYS_TRANS_HALF_TOPIC"})
    void aTopicThatCannotTakeNotesIsRefused(String topic) {
        assertThatThrownBy(() -> TraceWriter.checkTopic(topic)).hasMessageContaining("'" + topic + "'");
    }

    @Test
    void noTraceTopicIsEverTraced() {
        TraceTopics topics = new TraceTopics("mine");
        for (String topic : Arrays.asList("mine", "RMQ_SYS_TRACE_TOPIC", "rmq_sys_TRACE_DATA_eu")) {
            assertThat(topics.isTrace(topic)).as(topic).isTrue();
        }
        assertThat(topics.isTrace("orders")).isFalse();
    }

    @Test
    void theCarrierOfALongGroupHasANameThatBrokersTake() {
        assertThat(TraceWriter.carrierOf("g", "PRODUCE")).isEqualTo("_INNER_TRACE_PRODUCER-g-PRODUCE-0");
        assertThat(GroupName.problem(TraceWriter.carrierOf("g".repeat(GroupName.MAX_LENGTH), "CONSUME")))
                .isNull();
    }
}
