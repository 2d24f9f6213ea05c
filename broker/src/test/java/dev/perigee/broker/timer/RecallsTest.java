package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.carry.ViewWorld.Carried;
import dev.perigee.broker.carry.ViewWorld.Carrying;
import dev.perigee.broker.fact.WaitingReply;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.protocol.header.send.RecallMessageResponse;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.message.RecallHandle;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.store.kv.ViewBatch;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.LogPosition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Recalls over a real store, while retention copies what they look for and cold readers are slow. */
class RecallsTest {
    private static final long HOUR_MS = 3_600_000;
    private static final long LIMIT_MS = 5_000;

    private TimerWorld world;
    private WaitingRequests waiting;
    private Recalls recalls;

    @BeforeEach
    void open() throws Exception {
        world = new TimerWorld(10_000, Recalls.MAX_ASKED);
        waiting = new WaitingRequests(world.clock, LIMIT_MS);
        recalls = new Recalls(new Recalls.Parts(
                world.view,
                world.frames,
                world.store.facts(),
                world.link,
                waiting,
                world::coldRead,
                world.timer,
                world.clock,
                () -> {},
                "region"));
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    private void runRecalls() {
        world.duty = recalls;
        world.settle();
        world.pass(20);
        world.duty = now -> 0;
    }

    /** A message that waits an hour. */
    private RecallHandle waits(String key) {
        FrameDraft draft = new FrameDraft().body(ByteBuffer.wrap("m".getBytes(StandardCharsets.UTF_8)));
        DueTime.At due = world.after(HOUR_MS);
        PropertyEdit properties = new PropertyEdit().put(PropertyKey.UNIQ_KEY, key);
        WaitingFrames.delay(draft, properties, "T", 0, due, RecallHash.of("T", key, due.wallMs()));
        world.append(SystemTopic.TIMER, 0, draft);
        return new RecallHandle("T", "b", due.wallMs() + 1, key);
    }

    /** Has what lies below an offset claimed for copies. */
    private List<Runnable> carried(long belowOffset) {
        Carrying round = new Carrying();
        world.view.carryForward(belowOffset, round);
        return round.frames.stream().map(each -> (Runnable) () -> copy(each)).toList();
    }

    private void copy(Carried carried) {
        SegmentLease lease = Objects.requireNonNull(world.frames.find(carried.offset()));
        world.append(SystemTopic.TIMER, 0, carried.copy().of(new MessageFrame().wrap(lease.bytes(), 0)));
        lease.release();
    }

    /** What was answered, if anything was. */
    private static final class Told implements Reply<RecallMessageResponse> {
        final List<String> answers = new ArrayList<>();

        @Override
        public void send(
                int code, @Nullable String remark, @Nullable RecallMessageResponse header, @Nullable Payload body) {
            String outcome = header == null ? null : header.outcome();
            answers.add(outcome == null ? code + " " + remark : outcome);
        }

        @Override
        public void failed(RuntimeException cause) {
            throw cause;
        }

        @Override
        public void resume(Runnable step) {
            step.run();
        }
    }

    private Told ask(RecallHandle handle) {
        Told told = new Told();
        WaitingReply<RecallMessageResponse> held = recalls.hold(handle.text(), told);
        if (held != null) {
            recalls.ask(handle, held);
        }
        return told;
    }

    @Test
    void whatRetentionCopiesWhileItIsLookedForIsTakenBackWhereItLiesThen() {
        RecallHandle handle = waits("KEY1");
        Told told = ask(handle);
        recalls.doWork(world.clock.monotonicMs()); // found in its old place, and not decided
        carried(world.store.log().endOffset()).forEach(Runnable::run);
        runRecalls();
        assertThat(told.answers).containsExactly("RECALLED");
        assertThat(world.view.fingerprint()).startsWith("0 waiting, 1 recalled");
        assertThat(world.view.firstLiveOffset()).as("nothing to be carried on").isEqualTo(Long.MAX_VALUE);
        Told again = ask(handle);
        runRecalls();
        assertThat(again.answers).containsExactly("ALREADY_RECALLED");
    }

    @Test
    void whileOneOfTwoIsBeingCopiedNoneIsTakenBack() {
        RecallHandle handle = waits("KEY1");
        long second = world.store.log().endOffset();
        assertThat(waits("KEY1")).isEqualTo(handle);
        List<Runnable> copies = carried(second);
        assertThat(copies).hasSize(1);
        Told told = ask(handle);
        runRecalls();
        assertThat(told.answers).isEmpty();
        assertThat(world.view.fingerprint()).startsWith("2 waiting, 0 recalled");
        copies.forEach(Runnable::run);
        runRecalls();
        assertThat(told.answers).containsExactly("RECALLED");
        assertThat(world.view.fingerprint()).startsWith("0 waiting");
    }

    @Test
    void whatCannotBeReadFailsForItsOwnRequestOnly() throws Exception {
        RecallHandle good = waits("KEY1");
        RecallHandle bad = new RecallHandle("T", "b", good.timeMs(), "KEY2");
        long hash = RecallHash.of("T", "KEY2", bad.timeMs() - 1);
        WaitingMessage noFrame = new WaitingMessage(bad.timeMs() - 1, 5, 5, 100, hash);
        Objects.requireNonNull(world.view.store())
                .write(
                        new ViewBatch().put(TimerKeys.named(hash, 5), TimerKeys.namedValue(noFrame)),
                        new LogPosition(
                                world.store.log().logId(), 1, world.store.log().endOffset()));
        Told bads = ask(bad);
        Told goods = ask(good);
        runRecalls();
        assertThat(goods.answers).containsExactly("RECALLED");
        assertThat(bads.answers).hasSize(1).first().asString().startsWith("1 ").contains("at 5, cannot be read");
    }

    @Test
    void whatWaitedTooLongLeavesWhileALookHangsAndMoreThanTheLimitIsRefused() {
        RecallHandle handle = waits("KEY1");
        world.coldReadersRun = false;
        Told first = ask(handle);
        recalls.doWork(world.clock.monotonicMs());
        List<Told> others = new ArrayList<>();
        for (int i = 1; i < Recalls.MAX_ASKED; i++) {
            others.add(ask(handle));
        }
        assertThat(waiting.heldBytes()).isEqualTo(2L * handle.text().length() * Recalls.MAX_ASKED);
        Told oneMore = ask(handle);
        assertThat(oneMore.answers).hasSize(1).first().asString().startsWith(ResponseCode.SYSTEM_BUSY + " [OVERLOAD]");
        world.nowMs += LIMIT_MS + 1_000;
        waiting.doWork(world.clock.monotonicMs());
        recalls.doWork(world.clock.monotonicMs());
        assertThat(others).allSatisfy(told -> assertThat(told.answers).hasSize(1));
        assertThat(recalls.asked()).as("the one that is looked for").isOne();
        assertThat(waiting.heldBytes()).isZero();
        world.coldTasks.remove().run();
        world.coldReadersRun = true;
        runRecalls();
        assertThat(first.answers).as("told once, that it waited too long").hasSize(1);
        assertThat(recalls.asked()).isZero();
    }
}
