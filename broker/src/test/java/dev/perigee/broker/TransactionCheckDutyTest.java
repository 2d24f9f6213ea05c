package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.TransactionWorld.Restart;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Asking producers about halves nobody decided about (39), on a clock the test turns. */
class TransactionCheckDutyTest {
    private static final long SECOND_MS = 1_000;
    private static final String ASIDE = "TRANS_CHECK_MAX_TIME_TOPIC";

    private TransactionWorld world;

    @BeforeEach
    void open() throws Exception {
        world = new TransactionWorld(Map.of(
                "mappedFileSizeCommitLog", Integer.toString(16 << 20), "maxMessageSize", Integer.toString(4 << 20)));
    }

    private void turn(long ms) {
        world.clock.nowMs += ms;
        world.broker.settle();
    }

    /** Turns the clock second by second, with the heartbeats of the producers. */
    private void pass(long seconds, TransactionPeer... producers) throws Exception {
        for (long i = 0; i < seconds; i++) {
            turn(SECOND_MS);
            if (i % 30 == 0) {
                for (TransactionPeer each : producers) {
                    each.heartbeat();
                }
            }
        }
    }

    @Test
    void anUndecidedHalfIsAskedForAfterItsImmunityAndThenAtIntervalsUntilItIsSetAside() throws Exception { // K11
        long sentMs = world.clock.nowMs;
        byte[] large = new byte[(4 << 20) - 10];
        TransactionPeer.Half half = world.producer.half("T", "k", large, "CHECK_IMMUNITY_TIME_IN_SECONDS=60;");
        long end = world.broker.broker.logEndOffset();

        pass(59, world.producer);
        assertThat(world.producer.checks).isEmpty();
        pass(2, world.producer);
        assertThat(world.producer.checks).hasSize(1);
        pass(14 * 30, world.producer);
        assertThat(world.producer.checks).hasSize(15);
        assertThat(world.broker.broker.logEndOffset() - end)
                .as("each check costs a few hundred bytes, whatever the size of the message")
                .isLessThan(8_192);
        pass(60, world.producer);

        assertThat(world.producer.checks).hasSize(15);
        for (int i = 0; i < world.producer.checks.size(); i++) {
            TransactionPeer.Check check = world.producer.checks.get(i);
            assertThat(check.atMs() - sentMs).isBetween(60_000 + 30_000L * i, 60_000 + 31_100L * i + SECOND_MS);
            assertThat(check.header().tranStateTableOffset()).isEqualTo(half.queueOffset());
            assertThat(check.header().commitLogOffset()).isEqualTo(half.commitLogOffset());
            assertThat(check.header().msgId()).isEqualTo("k");
            assertThat(check.header().transactionId()).isEqualTo("k");
            assertThat(check.header().topic()).isEqualTo("RMQ_SYS_TRANS_HALF_TOPIC");
            assertThat(check.header().brokerName()).isEqualTo("broker-a");
            assertThat(check.half().topic()).isEqualTo("T");
            assertThat(check.half().property("PGROUP")).isEqualTo("g");
            assertThat(check.half().property("TRANSACTION_CHECK_TIMES")).isEqualTo(Integer.toString(i + 1));
            assertThat(check.half().body()).hasSize(large.length);
        }
        assertThat(world.broker.stored(ASIDE)).singleElement().satisfies(aside -> {
            assertThat(aside.property("HALF_REASON")).isEqualTo("no decision after 15 checks, limit 15");
            assertThat(aside.property("UNIQ_KEY")).isEqualTo("k");
        });
        assertThat(world.broker.stored("T")).isEmpty();
        int asked = world.producer.checks.size();
        pass(120, world.producer);
        assertThat(world.producer.checks).hasSize(asked);
    }

    @Test
    void theAnswerToACheckDecides() throws Exception {
        world.producer.outcome = check -> String.valueOf(check.header().msgId()).startsWith("yes")
                ? TransactionPeer.COMMIT
                : TransactionPeer.ROLLBACK;
        world.producer.half("T", "yes1", "");
        world.producer.half("T", "no", "");
        world.producer.half("T", "yes2", "");
        pass(8, world.producer);
        assertThat(world.producer.checks).hasSize(3);
        assertThat(world.broker.stored("T"))
                .extracting(message -> message.property("UNIQ_KEY"))
                .containsExactly("yes1", "yes2");
        pass(100, world.producer);
        assertThat(world.producer.checks).hasSize(3);
    }

    @Test
    void aMessageMaySayItselfHowOftenAndInWhichTimeItIsAskedFor() throws Exception {
        world.producer.half(
                "T", "k", "CHECK_IMMUNITY_TIME_IN_SECONDS=2;CHECK_INTERVAL_IN_SECONDS=3;CHECK_MAX_TIMES=2;");
        pass(3, world.producer);
        assertThat(world.producer.checks).hasSize(1);
        pass(4, world.producer);
        assertThat(world.producer.checks).hasSize(2);
        pass(4, world.producer);
        assertThat(world.producer.checks).hasSize(2);
        assertThat(world.broker.stored(ASIDE))
                .singleElement()
                .satisfies(aside ->
                        assertThat(aside.property("HALF_REASON")).isEqualTo("no decision after 2 checks, limit 2"));
    }

    @Test
    void whileNobodyOfTheGroupIsThereNothingIsCountedAndLooksGetRarer() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "");
        world.producer.client.close();
        world.broker.settle();
        long end = world.broker.broker.logEndOffset();
        pass(3_600);
        assertThat(world.broker.broker.logEndOffset() - end)
                .as("about 20 looks of some 300 bytes")
                .isBetween(1L, 12_000L);
        assertThat(world.broker.stored(ASIDE)).isEmpty();

        TransactionPeer another = new TransactionPeer(world.broker, "g");
        another.outcome = check -> TransactionPeer.COMMIT;
        pass(300, another);
        assertThat(another.checks).singleElement().satisfies(check -> {
            assertThat(check.header().commitLogOffset()).isEqualTo(half.commitLogOffset());
            assertThat(check.half().property("TRANSACTION_CHECK_TIMES")).isEqualTo("1");
        });
        assertThat(world.broker.stored("T")).hasSize(1);
    }

    @Test
    void aHalfWhoseProducersNeverComeIsSetAsideWhenMessagesOfItsAgeGo() throws Exception {
        world.producer.half("T", "k", "");
        world.producer.client.close();
        world.broker.settle();
        for (int hour = 0; hour < 73; hour++) {
            turn(3_600 * SECOND_MS);
        }
        assertThat(world.broker.stored(ASIDE))
                .singleElement()
                .satisfies(aside -> assertThat(aside.property("HALF_REASON"))
                        .startsWith("no producer of its group could be asked for 7"));
    }

    @Test
    void aProducerThatDoesNotAnswerIsPassedOverNextTime() throws Exception { // F10
        TransactionPeer deaf = new TransactionPeer(world.broker, "g");
        deaf.outcome = check -> -1;
        deaf.heartbeat();
        world.producer.outcome = check -> TransactionPeer.COMMIT;
        for (int i = 0; i < 10; i++) {
            world.producer.half("T", "k" + i, "");
        }
        pass(7, world.producer, deaf);
        int unanswered = deaf.checks.size();
        assertThat(unanswered).isBetween(1, 9);
        pass(31, world.producer, deaf);
        assertThat(deaf.checks).as("asked once each, and not again").hasSize(unanswered);
        assertThat(world.broker.stored("T")).hasSize(10);
    }

    @Test
    void aRestartNeitherForgetsAHalfNorAsksMoreOften() throws Exception {
        world.producer.half("T", "k", "CHECK_MAX_TIMES=3;");
        pass(8, world.producer);
        assertThat(world.producer.checks).hasSize(1);
        world.restart(Restart.CLOSED);
        pass(20, world.producer);
        assertThat(world.producer.checks)
                .as("30 s after the one before the restart")
                .isEmpty();
        pass(12, world.producer);
        assertThat(world.producer.checks).hasSize(1);
        assertThat(world.producer.checks.get(0).half().property("TRANSACTION_CHECK_TIMES"))
                .isEqualTo("2");
    }
}
