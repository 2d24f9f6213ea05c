package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.protocol.header.send.ResumeHalfHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Halves that nobody decides about. */
class SetAsideTest {
    private static final String ONE_CHECK =
            "CHECK_IMMUNITY_TIME_IN_SECONDS=1;CHECK_INTERVAL_IN_SECONDS=1;CHECK_MAX_TIMES=1;";

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private SteppedBroker broker;
    private TransactionPeer producer;

    @BeforeEach
    void open() throws Exception {
        broker = new SteppedBroker(new CrashingDisk(new Random(1)), clock, 1);
        broker.run(broker.createTopic("T", 1));
        producer = new TransactionPeer(broker, "g");
        producer.heartbeat();
    }

    private void pass(int seconds) {
        for (int i = 0; i < seconds; i++) {
            clock.nowMs += 1_000;
            broker.settle();
        }
    }

    @Test
    void itsReasonIsReadableAndItCanBeResumed() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "own=value;" + ONE_CHECK);
        pass(4);
        MessageExt aside = broker.stored("TRANS_CHECK_MAX_TIME_TOPIC").get(0);
        assertThat(aside.bodyText()).isEqualTo("body of k");
        assertThat(aside.properties())
                .containsEntry("HALF_REASON", "no decision after 1 checks, limit 1")
                .containsEntry("TRANSACTION_CHECK_TIMES", "1")
                .containsEntry("REAL_TOPIC", "T")
                .containsEntry("PGROUP", "g")
                .containsEntry("own", "value");
        Answer<NoHeader> late = producer.ended(half, TransactionPeer.COMMIT);
        assertThat(late.code()).isEqualTo(ResponseCode.ILLEGAL_OPERATION);
        assertThat(late.remarkText()).contains("already set aside");

        producer.outcome = check -> TransactionPeer.COMMIT;
        producer.checks.clear();
        Answer<NoHeader> resumed = broker.run(broker.call(
                broker.client,
                Rpcs.RESUME_CHECK_HALF_MESSAGE,
                new ResumeHalfHeader(null, aside.offsetMessageId()),
                null));
        assertThat(resumed.code()).as(resumed.remarkText()).isZero();
        pass(3);
        assertThat(producer.checks).singleElement().satisfies(check -> {
            assertThat(check.header().commitLogOffset()).isNotEqualTo(half.commitLogOffset());
            assertThat(check.half().property("TRANSACTION_CHECK_TIMES")).isEqualTo("1");
        });
        assertThat(broker.stored("T")).singleElement().satisfies(message -> {
            assertThat(message.bodyText()).isEqualTo("body of k");
            assertThat(message.property("own")).isEqualTo("value");
            assertThat(message.property("HALF_REASON")).isNull();
        });
    }

    @Test
    void theLogTellsOfManyTogetherOnceASecond() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.perigee.broker.transaction.Asides");
        log.start();
        logger.addAppender(log);
        try {
            for (int i = 0; i < 30; i++) {
                producer.half("T", "k" + i, ONE_CHECK);
                clock.nowMs += 100;
                broker.settle();
            }
            pass(5);
        } finally {
            logger.detachAppender(log);
        }
        assertThat(broker.stored("TRANS_CHECK_MAX_TIME_TOPIC")).hasSize(30);
        List<String> lines =
                log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
        assertThat(lines)
                .hasSizeBetween(3, 6)
                .allSatisfy(line ->
                        assertThat(line).contains("event=halves_set_aside", ": no decision after 1 checks, limit 1"));
        assertThat(lines.stream()
                        .mapToInt(line -> Integer.parseInt(line.replaceAll(".* count=(\\d+) .*", "$1")))
                        .sum())
                .isEqualTo(30);
    }
}
