package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The wall clock of a broker is set while messages wait: none comes early, and none waits longer for it. */
class BrokerClockShiftTest {
    private static final long HOUR_MS = 3_600_000;
    private static final long DELAY_MS = 5_000;

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private MemoryViewStores stores = new MemoryViewStores();
    private SteppedBroker broker;
    private long seed = 1;

    @BeforeEach
    void open() throws Exception {
        start();
        broker.run(broker.createTopic("T", 4));
        broker.run(broker.heartbeat("c"));
    }

    private void start() throws Exception {
        broker = new SteppedBroker(disk, stores, clock, seed++, Map.of());
    }

    private void crash() throws Exception {
        disk.kill();
        stores.crash(new Random(seed));
        start();
        broker.settle();
    }

    /** Starts again with nothing of what waits but the log. */
    private void crashAndRebuild() throws Exception {
        disk.kill();
        if (disk.exists("timers/view.checkpoint")) {
            disk.delete("timers/view.checkpoint");
        }
        stores = new MemoryViewStores();
        start();
        broker.settle();
    }

    private void sent(String properties, String body) throws Exception {
        Answer<SendMessageResponse> answer = broker.sendWith("T", 0, properties, body);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    private void sentInAllForms(String name) throws Exception {
        sent("DELAY=2;", name + " level");
        sent("TIMER_DELAY_SEC=5;", name + " sec");
        sent("TIMER_DELAY_MS=" + DELAY_MS + ";", name + " ms");
        sent("TIMER_DELIVER_MS=" + (clock.wallMs() + DELAY_MS) + ";", name + " at");
    }

    private List<String> bodies() throws Exception {
        return broker.messages("T", 0).stream().map(MessageExt::bodyText).toList();
    }

    @ParameterizedTest
    @ValueSource(longs = {HOUR_MS, -HOUR_MS, 720 * HOUR_MS, -720 * HOUR_MS})
    void aStepDeliversNothingEarlyAndHoldsNothingUp(long stepMs) throws Exception {
        sentInAllForms("before");
        broker.pass(2_000);
        clock.setByMs += stepMs;
        broker.pass(2_999);
        assertThat(bodies()).isEmpty();
        sentInAllForms("after");
        broker.pass(1);
        assertThat(bodies()).containsExactlyInAnyOrder("before level", "before sec", "before ms", "before at");
        broker.pass(DELAY_MS - 2);
        assertThat(bodies()).hasSize(4);
        broker.pass(1);
        assertThat(bodies()).hasSize(8);
    }

    @ParameterizedTest
    @ValueSource(longs = {HOUR_MS, -HOUR_MS})
    void aStepHoldsForRetriesToo(long stepMs) throws Exception {
        Answer<SendMessageResponse> answer = broker.run(broker.send("order"));
        long offset = MessageId.parse(TestBroker.messageId(answer)).physicalOffset();
        SendBackHeader back = new SendBackHeader(offset, "g", 2, null, "T", false, null, null);
        broker.run(broker.call(broker.client, Rpcs.CONSUMER_SEND_MSG_BACK, back, null));
        clock.setByMs += stepMs;
        broker.pass(DELAY_MS - 1);
        assertThat(broker.messages("%RETRY%g", 0)).isEmpty();
        broker.pass(1);
        assertThat(broker.messages("%RETRY%g", 0)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {HOUR_MS, -HOUR_MS})
    void aRestartAfterAStepGoesOnWithIt(long stepMs) throws Exception {
        broker.pass(1_000);
        clock.setByMs += stepMs;
        broker.pass(1_000);
        sentInAllForms("after");
        crash();
        broker.pass(1_000);
        crashAndRebuild();
        broker.pass(DELAY_MS - 1_001);
        assertThat(bodies()).isEmpty();
        broker.pass(1);
        assertThat(bodies()).hasSize(4);
    }

    @Test
    void aClockThatFallsBackWhileTheBrokerIsDownHoldsNothingUpForLong() throws Exception {
        sentInAllForms("before");
        broker.pass(1_000);
        clock.setByMs -= HOUR_MS;
        crash();
        broker.pass(DELAY_MS);
        assertThat(bodies()).hasSize(4);
    }

    @Test
    void whereNothingWaitsTheClockBeginsAnewWithARestart() throws Exception {
        sentInAllForms("before");
        clock.setByMs -= HOUR_MS;
        sentInAllForms("after");
        broker.pass(DELAY_MS);
        assertThat(bodies()).hasSize(8);
        crash();
        sent("TIMER_DELIVER_MS=" + (clock.wallMs() + DELAY_MS) + ";", "new");
        broker.pass(DELAY_MS - 1);
        assertThat(bodies()).hasSize(8);
        broker.pass(1);
        assertThat(bodies()).hasSize(9);
    }

    @ParameterizedTest
    @CsvSource({"3600000,true", "3600000,false", "-3600000,true", "-3600000,false"})
    void aStepThatNoMessageCameAfterIsKnownAfterACrashToo(long stepMs, boolean fromTheLogAlone) throws Exception {
        sentInAllForms("before");
        broker.pass(1_000);
        clock.setByMs += stepMs;
        broker.pass(1_000);
        if (fromTheLogAlone) {
            crashAndRebuild();
        } else {
            crash();
        }
        broker.pass(DELAY_MS - 2_001);
        assertThat(bodies()).isEmpty();
        broker.pass(1);
        assertThat(bodies()).hasSize(4);
    }

    @Test
    void aClockThatWasWrongAndWasPutRightMakesNothingComeEarly() throws Exception {
        clock.setByMs += 24 * HOUR_MS;
        broker.run(broker.send("at a wrong time"));
        clock.setByMs -= 24 * HOUR_MS;
        crash();
        sent("TIMER_DELAY_SEC=3600;", "in an hour");
        crash();
        broker.pass(59 * 60_000);
        assertThat(bodies()).containsExactly("at a wrong time");
        broker.pass(60_000);
        assertThat(bodies()).containsExactly("at a wrong time", "in an hour");
    }
}
