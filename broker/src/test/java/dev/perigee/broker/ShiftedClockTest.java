package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.TransactionWorld.Restart;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessageList;
import dev.perigee.remoting.call.Answer;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The wall clock is stepped forth and back, with restarts of all kinds before and after, while messages and halves of transactions wait:
 * each has its turn when it would have had it on a good clock.
 */
class ShiftedClockTest {
    private static final long SECOND_MS = 1_000;
    private static final long HOUR_MS = 3_600_000;
    private static final String ASIDE = "TRANS_CHECK_MAX_TIME_TOPIC";

    private TransactionWorld world;

    @BeforeEach
    void open() throws Exception {
        world = new TransactionWorld(Map.of());
    }

    static Stream<Arguments> stepsAndRestarts() {
        return Stream.of(HOUR_MS, -HOUR_MS, 10 * 60_000L, -10 * 60_000L)
                .flatMap(step -> Stream.of(Restart.values()).map(restart -> Arguments.of(step, restart)));
    }

    private List<String> bodies(String topic) throws Exception {
        return world.broker.stored(topic).stream().map(MessageExt::bodyText).toList();
    }

    private void sent(String properties, String body) throws Exception {
        Answer<SendMessageResponse> answer = world.broker.sendWith("T", 0, properties, body);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    @ParameterizedTest
    @MethodSource("stepsAndRestarts")
    void aHalfThatComesAfterAStepIsAskedForInItsTimeThoughTheBrokerRestarts(long stepMs, Restart restart)
            throws Exception {
        world.broker.pass(SECOND_MS);
        world.clock.setByMs += stepMs;
        world.broker.pass(SECOND_MS);
        world.producer.half("T", "k", ""); // nothing else waits, and it is to be checked after 6 s
        world.restart(restart);
        world.broker.pass(5_900);
        assertThat(world.producer.checks).isEmpty();
        world.broker.pass(200);
        assertThat(world.producer.checks).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("stepsAndRestarts")
    void aHalfThatWaitsWhenTheClockIsSetIsAskedForInItsTime(long stepMs, Restart restart) throws Exception {
        world.producer.half("T", "k", "CHECK_IMMUNITY_TIME_IN_SECONDS=60;CHECK_INTERVAL_IN_SECONDS=20;");
        world.broker.pass(20 * SECOND_MS);
        world.clock.setByMs += stepMs;
        world.broker.pass(SECOND_MS); // the log is told
        world.restart(restart);
        world.broker.pass(38_900);
        assertThat(world.producer.checks).isEmpty();
        world.broker.pass(200);
        assertThat(world.producer.checks).hasSize(1);
        world.clock.setByMs -= 2 * stepMs;
        world.broker.pass(SECOND_MS);
        world.restart(restart);
        world.producer.checks.clear();
        world.broker.pass(18_900);
        assertThat(world.producer.checks).isEmpty();
        world.broker.pass(300);
        assertThat(world.producer.checks).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("stepsAndRestarts")
    void messagesAndCommittedMessagesThatWaitComeInTheirTime(long stepMs, Restart restart) throws Exception {
        sent("TIMER_DELAY_SEC=60;", "timed");
        TransactionPeer.Half delayed = world.producer.half("T", "delayed", "TIMER_DELAY_SEC=40;");
        TransactionPeer.Half open = world.producer.half("T", "open", "CHECK_IMMUNITY_TIME_IN_SECONDS=3600;");
        world.broker.pass(10 * SECOND_MS);
        world.clock.setByMs += stepMs;
        world.broker.pass(SECOND_MS);
        world.restart(restart);
        assertThat(world.producer.ended(delayed, TransactionPeer.COMMIT).code()).isZero();
        world.clock.setByMs -= stepMs / 2;
        world.broker.pass(SECOND_MS);
        world.restart(restart);
        world.broker.pass(38_900);
        assertThat(bodies("T")).isEmpty();
        world.broker.pass(200);
        assertThat(bodies("T")).containsExactly("body of delayed");
        world.broker.pass(8_700);
        assertThat(bodies("T")).hasSize(1);
        world.broker.pass(300);
        assertThat(bodies("T")).containsExactly("body of delayed", "timed");
        assertThat(world.producer.ended(open, TransactionPeer.COMMIT).code()).isZero();
        assertThat(bodies("T")).containsExactly("body of delayed", "timed", "body of open");
    }

    @ParameterizedTest
    @MethodSource("stepsAndRestarts")
    void anImmunityCountsFromTheAcceptanceWhateverTheClockSays(long stepMs, Restart restart) throws Exception {
        world.clock.setByMs += stepMs;
        TransactionPeer.Half first = world.producer.half("T", "first", "CHECK_IMMUNITY_TIME_IN_SECONDS=60;");
        assertThat(world.producer.ended(first, TransactionPeer.COMMIT).code()).isZero();
        TransactionPeer.Half second = world.producer.half("T", "second", "CHECK_IMMUNITY_TIME_IN_SECONDS=60;");
        TransactionPeer.Half third = world.producer.half("T", "third", "CHECK_IMMUNITY_TIME_IN_SECONDS=60;");
        world.broker.pass(SECOND_MS);
        world.restart(restart);
        world.broker.pass(50 * SECOND_MS);
        assertThat(world.producer.ended(second, TransactionPeer.COMMIT).code()).isZero();
        world.broker.pass(10 * SECOND_MS);
        Answer<NoHeader> late = world.producer.ended(third, TransactionPeer.COMMIT);
        assertThat(late.code()).as(late.remarkText()).isEqualTo(ResponseCode.ILLEGAL_OPERATION);
        assertThat(bodies("T")).containsExactly("body of first", "body of second");
    }

    @ParameterizedTest
    @ValueSource(longs = {HOUR_MS, -HOUR_MS, 720 * HOUR_MS, -720 * HOUR_MS})
    void aHalfWithoutProducersIsAsOldAsItIsAndNotAsTheClockSays(long stepMs) throws Exception {
        world.producer.half("T", "k", "");
        world.producer.client.close();
        world.broker.pass(SECOND_MS);
        world.clock.setByMs += stepMs;
        for (int hour = 0; hour < 71; hour++) {
            world.broker.pass(HOUR_MS);
        }
        assertThat(bodies(ASIDE)).isEmpty();
        world.broker.pass(HOUR_MS);
        world.broker.pass(HOUR_MS);
        assertThat(bodies(ASIDE)).containsExactly("body of k");
    }

    @Test
    void toolsAreToldTheTimeOfTheNextCheckAsTheWallClockTellsIt() throws Exception {
        world.clock.setByMs -= HOUR_MS;
        world.producer.half("T", "k", "");
        Answer<NoHeader> answer = world.broker.run(world.broker.call(
                world.broker.client, Rpcs.LIST_HALF_MESSAGES, new HalfListHeader(null, null, -1, 10), null));
        assertThat(Json.read(answer.body(), HalfMessageList.class).halves())
                .singleElement()
                .satisfies(half -> assertThat(half.nextCheckMs()).isEqualTo(world.clock.wallMs() + 6_000));
    }

    @Test
    void whereNothingWaitsAStepIsForgottenByARestart() throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", "");
        world.clock.setByMs -= HOUR_MS;
        world.broker.pass(SECOND_MS);
        assertThat(world.producer.ended(half, TransactionPeer.COMMIT).code()).isZero();
        world.restart(Restart.KILLED);
        sent("TIMER_DELIVER_MS=" + (world.clock.wallMs() + 5_000) + ";", "new");
        world.broker.pass(4_999);
        assertThat(bodies("T")).containsExactly("body of k");
        world.broker.pass(1);
        assertThat(bodies("T")).containsExactly("body of k", "new");
    }
}
