package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.TransactionWorld.Restart;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessage;
import dev.perigee.protocol.transaction.HalfMessageList;
import dev.perigee.remoting.call.Answer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Halves of groups of which nobody is connected are kept for 72 hours after somebody was asked last. */
class AbsentProducersTest {
    private static final long SECOND_MS = 1_000;
    private static final long MINUTE_MS = 60_000;
    private static final long HOUR_MS = 3_600_000;
    private static final int DAY_HOURS = 24;
    private static final String ASIDE = "TRANS_CHECK_MAX_TIME_TOPIC";
    private static final String DAILY = "CHECK_INTERVAL_IN_SECONDS=86400;";

    private TransactionWorld world;

    @BeforeEach
    void open() throws Exception {
        world = new TransactionWorld(Map.of());
    }

    private void hours(int count) {
        for (int i = 0; i < count; i++) {
            world.broker.pass(HOUR_MS);
        }
    }

    /** A day, in the middle of which its halves are due to be asked for. */
    private void dayWithTheProducer() throws Exception {
        hours(DAY_HOURS / 2 - 1);
        for (int minute = 0; minute < 120; minute++) {
            world.producer.heartbeat();
            world.broker.pass(MINUTE_MS);
        }
        hours(DAY_HOURS / 2 - 1);
    }

    private void producerGoes() {
        world.producer.client.close();
        world.broker.settle();
    }

    private List<MessageExt> setAside() throws Exception {
        return world.broker.stored(ASIDE);
    }

    private HalfMessage onlyHalf() throws Exception {
        Answer<NoHeader> answer = world.broker.run(world.broker.call(
                world.broker.client, Rpcs.LIST_HALF_MESSAGES, new HalfListHeader(null, null, -1, 10), null));
        List<HalfMessage> halves =
                Json.read(answer.body(), HalfMessageList.class).halves();
        assertThat(halves).hasSize(1);
        return halves.get(0);
    }

    @ParameterizedTest
    @EnumSource(Restart.class)
    void aHalfThatWasAskedForADayAgoIsNotSetAsideWhenItsProducerGoes(Restart restart) throws Exception {
        world.producer.half("T", "k", DAILY + "CHECK_IMMUNITY_TIME_IN_SECONDS=" + 12 * 3_600 + ";");
        for (int day = 0; day < 4; day++) {
            dayWithTheProducer();
        }
        assertThat(world.producer.checks).hasSize(4);
        world.restart(restart);
        producerGoes(); // 12 hours after it was asked for, and 12 before it is to be asked for again
        hours(12 + DAY_HOURS + DAY_HOURS - 1);
        assertThat(setAside()).as("71 hours after it was asked for last").isEmpty();
        hours(2);
        assertThat(setAside())
                .singleElement()
                .satisfies(aside -> assertThat(aside.property("HALF_REASON"))
                        .startsWith("no producer of its group could be asked for 7"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"CHECK_INTERVAL_IN_SECONDS=2592000;", DAILY, ""})
    void noIntervalKeepsAHalfLongerThanOthers(String interval) throws Exception {
        world.producer.half("T", "k", interval);
        producerGoes();
        hours(71);
        assertThat(setAside()).isEmpty();
        hours(2);
        assertThat(setAside()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"CHECK_INTERVAL_IN_SECONDS=2592000;", ""})
    void afterALongPauseOfTheBrokerProducersHaveAMomentToComeBack(String interval) throws Exception {
        TransactionPeer.Half half = world.producer.half("T", "k", interval);
        producerGoes();
        world.goDown(Restart.CLOSED);
        world.clock.nowMs += 5L * DAY_HOURS * HOUR_MS;
        world.comeUp();
        world.broker.pass(SECOND_MS);
        world.broker.pass(29 * SECOND_MS);
        TransactionPeer back = new TransactionPeer(world.broker, "g");
        back.outcome = check -> TransactionPeer.COMMIT;
        back.heartbeat();
        for (int i = 0; i < 31; i++) {
            world.broker.pass(SECOND_MS);
        }
        assertThat(back.checks)
                .singleElement()
                .satisfies(check -> assertThat(check.header().commitLogOffset()).isEqualTo(half.commitLogOffset()));
        assertThat(setAside()).isEmpty();
        assertThat(world.broker.stored("T")).hasSize(1);
    }

    @Test
    void afterALongPauseOfTheBrokerAHalfWhoseProducersStayAwayIsSetAside() throws Exception {
        world.producer.half("T", "k", "");
        producerGoes();
        world.goDown(Restart.CLOSED);
        world.clock.nowMs += 5L * DAY_HOURS * HOUR_MS;
        world.comeUp();
        world.broker.pass(SECOND_MS);
        assertThat(setAside()).isEmpty();
        for (int i = 0; i < 61; i++) {
            world.broker.pass(SECOND_MS);
        }
        assertThat(setAside()).hasSize(1);
    }

    @Test
    void aNewHalfIsLookedAtAsOftenAsUsualThoughOlderOnesOfItsGroupWaitedLong() throws Exception {
        TransactionPeer.Half old = world.producer.half("T", "old", "");
        producerGoes();
        hours(2);
        TransactionPeer tool = new TransactionPeer(world.broker, "g"); // sends no heartbeats
        tool.half("T", "new", "");
        world.broker.pass(7 * SECOND_MS);
        assertThat(world.broker
                        .run(tool.end(tool.ending(old, TransactionPeer.ROLLBACK, true)))
                        .code())
                .isZero();
        HalfMessage young = onlyHalf();
        assertThat(young.uniqueKey()).isEqualTo("new");
        assertThat(young.nextCheckMs() - world.clock.nowMs).isLessThanOrEqualTo(31_000);
    }

    @Test
    void aGroupWhoseHalvesAreGoneIsForgotten() throws Exception {
        TransactionPeer.Half old = world.producer.half("T", "old", "");
        producerGoes();
        hours(2);
        TransactionPeer tool = new TransactionPeer(world.broker, "g"); // sends no heartbeats
        assertThat(world.broker
                        .run(tool.end(tool.ending(old, TransactionPeer.ROLLBACK, true)))
                        .code())
                .isZero();
        tool.half("T", "new", "CHECK_IMMUNITY_TIME_IN_SECONDS=" + 4 * 3_600 + ";");
        hours(4);
        world.broker.pass(SECOND_MS);
        assertThat(onlyHalf().nextCheckMs() - world.clock.nowMs)
                .as("as after the first look")
                .isLessThanOrEqualTo(31_000);
    }
}
