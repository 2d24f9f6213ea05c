package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.query.MessageTrace;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.trace.TraceMetrics;
import dev.perigee.client.transaction.TransactionListener;
import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.client.transaction.TransactionState;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.trace.TraceRecord;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients that trace, a broker that keeps their notes, and the command that shows them. */
@ExtendWith(SharedUp.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MessageTraceTest {

    private final RunningUp up;
    private final AdminClient admin;

    MessageTraceTest(RunningUp up) {
        this.up = up;
        admin = AdminClient.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .timeoutMs(60_000)
                .build();
    }

    @BeforeAll
    void starts() {
        admin.start();
    }

    @AfterAll
    void stops() {
        admin.close();
    }

    private List<TraceRecord> notes(String messageId) throws Exception {
        return admin.messages().trace(messageId).notes().stream()
                .map(MessageTrace.Note::record)
                .toList();
    }

    private Producer producer(String group) {
        Producer producer = Producer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .sendTimeoutMs(60_000)
                .group(group)
                .enableMsgTrace()
                .build();
        producer.start();
        return producer;
    }

    @Test
    void theBrokerMakesTheTraceTopicWithOneQueue() throws Exception {
        assertThat(admin.topics().config("RMQ_SYS_TRACE_TOPIC", up.broker()).writeQueueNums())
                .isEqualTo(1);
    }

    @Test
    void aMessageIsFollowedFromItsSendToTheEndOfItsListener() throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of("followed", 1));
        AtomicInteger calls = new AtomicInteger();
        SendResult sent;
        try (PushConsumer consumer = PushConsumer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .group("traced-readers")
                .subscribe("followed", "*")
                .consumeFrom(ConsumeFrom.firstOffset())
                .enableMsgTrace()
                .listener(messages -> {
                    calls.incrementAndGet();
                    return ConsumeResult.SUCCESS;
                })
                .build()) {
            consumer.start();
            try (Producer producer = producer("senders")) {
                sent = producer.send(Message.builder("followed")
                        .body("twelve bytes")
                        .tag("blue")
                        .keys("order-1", "order-2")
                        .build());
            }
            RunningUp.await(() -> calls.get() == 1);
        }
        List<TraceRecord> notes = notes(sent.messageId());
        assertThat(notes).hasSize(3);
        TraceRecord.Sent first = (TraceRecord.Sent) notes.get(0);
        assertThat(List.of(first.group(), first.topic(), first.region(), first.storeHost(), first.isSuccess()))
                .containsExactly("senders", "followed", "DefaultRegion", up.broker(), true);
        assertThat(first.tags()).isEqualTo("blue");
        assertThat(first.keys()).isEqualTo("order-1 order-2");
        assertThat(first.bodyBytes()).isEqualTo(12);
        assertThat(first.offsetMessageId()).isEqualTo(sent.offsetMessageId());
        TraceRecord.ConsumeBegun begun = (TraceRecord.ConsumeBegun) notes.get(1);
        TraceRecord.ConsumeEnded ended = (TraceRecord.ConsumeEnded) notes.get(2);
        assertThat(begun.group()).isEqualTo("traced-readers");
        assertThat(ended.requestId()).isEqualTo(begun.requestId());
        assertThat(ended.ending()).isEqualTo(TraceRecord.Ending.SUCCESS);
        assertThat(admin.messages()
                        .byKey("RMQ_SYS_TRACE_TOPIC", "order-2", 10, 0, Long.MAX_VALUE)
                        .messages())
                .as("found by the keys too")
                .hasSize(2);

        Run shown = up.ok("message", "trace", sent.messageId());
        assertThat(shown.out())
                .contains("sent", "listener called", "listener ended", "success", "traced-readers", "senders");
        Run json = up.run("message", "trace", sent.messageId(), "--json");
        assertThat(json.array()).hasSize(3);
        assertThat(((Map<?, ?>) json.array().get(0)).get("offsetMessageId")).isEqualTo(sent.offsetMessageId());
    }

    @Test
    void notesThatCannotBeReadAreCountedBesideTheOthers() throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of("damaged", 1));
        SendResult sent;
        try (Producer producer = producer("damagers")) {
            sent = producer.send(Message.of("damaged", "x"));
            producer.send(Message.builder("RMQ_SYS_TRACE_TOPIC")
                    .body("Pub\u0001no time\u0002")
                    .keys(sent.messageId())
                    .build());
        }
        Run shown = up.run("message", "trace", sent.messageId());
        assertThat(shown.exitCode()).as(shown.toString()).isEqualTo(ExitCode.OK);
        assertThat(shown.err().lines()).containsExactly("perigee: 1 note could not be read and is not shown");
        List<?> notes = up.run("message", "trace", sent.messageId(), "--json").array();
        assertThat(notes).hasSize(2);
        assertThat(notes.get(1)).isEqualTo(Map.of("what", "unreadable", "count", 1));
    }

    @Test
    void aDecisionIsNotedBesideTheHalfMessage() throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of("decided", 1));
        SendResult sent;
        try (TransactionProducer producer = TransactionProducer.builder()
                .nameServers(up.nameServer())
                .producer(p -> p.callTimeoutMs(60_000).sendTimeoutMs(60_000))
                .group("deciders")
                .enableMsgTrace()
                .listener(new TransactionListener() {
                    @Override
                    public TransactionState execute(Message message, String transactionId, @Nullable Object argument) {
                        return TransactionState.COMMIT;
                    }

                    @Override
                    public TransactionState check(MessageExt half) {
                        return TransactionState.UNKNOWN;
                    }
                })
                .build()) {
            producer.start();
            sent = producer.send(Message.of("decided", "paid"), "argument").sent();
        }
        List<TraceRecord> notes = notes(sent.messageId());
        assertThat(notes).hasSize(2);
        assertThat(((TraceRecord.Sent) notes.get(0)).kind()).isEqualTo(TraceRecord.Kind.HALF);
        TraceRecord.TransactionEnded decided = (TraceRecord.TransactionEnded) notes.get(1);
        assertThat(decided.state()).isEqualTo("COMMIT_MESSAGE");
        assertThat(decided.isFromCheck()).isFalse();
        assertThat(decided.storeHost()).isEqualTo(up.broker());
    }

    @Test
    void theSendCommandTracesWhenToldTo() throws Exception {
        String traced =
                up.ok("send", "traced-by-command", "hello", "--trace").out().split(" ")[1];
        assertThat(up.ok("message", "trace", traced).out()).contains("PERIGEE_SEND", "success");

        String silent = up.ok("send", "traced-by-command", "hello").out().split(" ")[1];
        Run none = up.run("message", "trace", silent);
        assertThat(none.exitCode()).as(none.toString()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(none.err()).contains("send --trace");
    }

    @Test
    void messagesOfTraceTopicsAreNotTraced() throws Exception {
        Producer producer = producer("forwarders");
        producer.send(Message.of("RMQ_SYS_TRACE_TOPIC", "somebody else's notes"));
        producer.close();
        assertThat(producer.traceMetrics()).isEqualTo(TraceMetrics.NONE);
    }

    @Test
    void ownTraceTopicsAreUsedWhenAskedFor() throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of("elsewhere", 1));
        admin.topics().createOrUpdate(TopicConfig.of("plain", 1));
        SendResult sent;
        try (Producer producer = Producer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .sendTimeoutMs(60_000)
                .enableMsgTrace("elsewhere")
                .build()) {
            producer.start();
            sent = producer.send(Message.of("plain", "x"));
        }
        assertThat(notes(sent.messageId())).isEmpty();
        assertThat(admin.messages().trace(sent.messageId(), "elsewhere").notes())
                .hasSize(1);
        Run nothing = up.run("message", "trace", sent.messageId());
        assertThat(nothing.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(nothing.err()).contains("nothing is noted about " + sent.messageId());
        assertThat(up.run("message", "trace", sent.messageId(), "--trace-topic", "elsewhere")
                        .exitCode())
                .isEqualTo(ExitCode.OK);
    }

    @Test
    void aProducerThatDoesNotTraceNotesNothing() throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of("quiet", 1));
        try (Producer producer = Producer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .sendTimeoutMs(60_000)
                .build()) {
            producer.start();
            SendResult sent = producer.send(Message.of("quiet", "x"));
            assertThat(producer.traceMetrics()).isEqualTo(TraceMetrics.NONE);
            assertThat(notes(sent.messageId())).isEmpty();
        }
    }
}
