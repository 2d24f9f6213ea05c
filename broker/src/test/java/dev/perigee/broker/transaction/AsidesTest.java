package dev.perigee.broker.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.carry.ViewWorld;
import dev.perigee.broker.fact.Inbox;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.store.append.AppendGate;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.LogLoopConfig;
import dev.perigee.store.disk.DiskSpace;
import dev.perigee.store.tail.Bell;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Halves that are to be set aside while the log takes nothing. */
class AsidesTest {
    /** Halves of which nothing came. */
    private record PutOff(int halves, long waitMs) {}

    private final ViewWorld world = new ViewWorld();
    private final AppendGate gate = new AppendGate(
            new LogLoopConfig(
                    ViewWorld.SEGMENT_BYTES,
                    FlushMode.ASYNC,
                    1_000,
                    ViewWorld.SEGMENT_BYTES / 2,
                    1_024,
                    1 << 20,
                    1 << 16,
                    0,
                    new DiskSpace.SpaceRule(0, 0)),
            new Bell());
    private final Inbox inbox = new Inbox("test", () -> {});
    private final List<Runnable> reads = new ArrayList<>();
    private final List<PutOff> putOff = new ArrayList<>();
    private boolean readersAreBusy;
    private final Asides asides = new Asides(
            new Asides.Parts(
                    new FrameLookup(world.log.log(), ViewWorld.SEGMENT_BYTES),
                    new FactSink(gate, Clock.system()),
                    read -> !readersAreBusy && reads.add(read),
                    new BrokerStats("c", ZoneOffset.UTC, 0),
                    inbox,
                    Clock.system(),
                    new FaultLog("test", Clock.system())),
            (halves, waitMs) -> putOff.add(new PutOff(halves.size(), waitMs)));

    @BeforeEach
    void theLogTakesNothing() {
        gate.diskFull(true);
    }

    private Half half() {
        long birth = world.log.append(
                world.log.next(SystemTopic.HALF, 0).property("__HALF#", "5000").property("REAL_TOPIC", "T"));
        return at(birth);
    }

    private static Half at(long offset) {
        return new Half(offset, offset, 200, 0, 5_000, 15, 3_000, 4_000);
    }

    private void round(Half... halves) {
        for (Half each : halves) {
            asides.add(each, "nobody knows");
        }
        asides.start();
        reads.forEach(Runnable::run);
        reads.clear();
        inbox.run(Integer.MAX_VALUE);
    }

    @Test
    void allOfARoundAreReadByOneTask() {
        for (int i = 0; i < 600; i++) {
            asides.add(half(), "nobody knows");
        }
        asides.start();
        assertThat(reads).hasSize(1);
        assertThat(asides.areUnderWay()).isTrue();
        reads.get(0).run();
        inbox.run(Integer.MAX_VALUE);
        assertThat(asides.areUnderWay()).isFalse();
        assertThat(putOff).containsExactly(new PutOff(600, Asides.FIRST_WAIT_MS));
    }

    @Test
    void theyArePutOffEverLongerWhileTheLogTakesNone() {
        Half half = half();
        for (int i = 0; i < 11; i++) {
            round(half);
        }
        assertThat(putOff)
                .extracting(PutOff::waitMs)
                .containsExactlyElementsOf(LongStream.iterate(1_000, ms -> Math.min(300_000, 2 * ms))
                        .limit(11)
                        .boxed()
                        .toList());
    }

    @Test
    void oneThatCannotBeReadWaitsLongAndHoldsUpNoOther() {
        round(half(), at(world.log.end() + 4_096), half());
        assertThat(putOff)
                .containsExactlyInAnyOrder(new PutOff(2, Asides.FIRST_WAIT_MS), new PutOff(1, Asides.LAST_WAIT_MS));
        round(at(world.log.end() + 4_096));
        round(half());
        assertThat(putOff.get(putOff.size() - 1))
                .as("a half's own trouble is no other's")
                .isEqualTo(new PutOff(1, 2 * Asides.FIRST_WAIT_MS));
    }

    @Test
    void theyArePutOffWhenNobodyReadsThem() {
        readersAreBusy = true;
        round(half(), half());
        assertThat(putOff).containsExactly(new PutOff(2, Asides.FIRST_WAIT_MS));
        assertThat(asides.areUnderWay()).isFalse();
    }
}
