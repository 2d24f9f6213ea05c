package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.DelayLevels;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.StoreLink;
import dev.perigee.broker.fact.WaitingReply;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.protocol.fact.Fact;
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
import dev.perigee.store.Store;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.StoreSeams;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.append.SoloReplication;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.kv.ViewBatch;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.Duty;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.LogView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Recalls over a real store, while retention copies what they look for and cold readers are slow. */
class RecallsTest {
    private static final long HOUR_MS = 3_600_000;
    private static final long LIMIT_MS = 5_000;

    private long nowMs = 1_760_000_000_000L;
    private final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return nowMs;
        }

        @Override
        public long monotonicNs() {
            return nowMs * 1_000_000L;
        }
    };
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final TimerView view = new TimerView(new MemoryViewStores());
    private final StoreLink link = new StoreLink();
    private final FactDesk desk = new FactDesk(link, link, link::wake);
    private final WaitingRequests waiting = new WaitingRequests(clock, LIMIT_MS);
    private final Queue<Runnable> coldTasks = new ArrayDeque<>();
    private boolean coldReadersRun = true;
    private Store store;
    private FrameLookup frames;
    private DueTimes times;
    private Recalls recalls;
    private Duty duty = now -> 0;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(
                StoreConfig.defaults().withSegmentSizeBytes(1 << 20),
                new StoreSeams(disk, clock, new SplittableRandom(1), 1, cause -> {
                    throw new AssertionError(cause);
                }),
                new SoloReplication(StoreConfig.defaults().flushMode()),
                new Store.Views(
                        List.of(new TopicView(desk), view),
                        facts -> List.of(new Duty() {
                            @Override
                            public int doWork(long now) {
                                return duty.doWork(now);
                            }

                            @Override
                            public long nextDeadlineMs() {
                                return Long.MAX_VALUE;
                            }
                        })));
        view.prepare();
        link.connect(store);
        TimerClock timer = new TimerClock(clock, 0, Long.MIN_VALUE);
        times = new DueTimes(Objects.requireNonNull(DelayLevels.parse("1s 5s")), 10_000, timer);
        frames = new FrameLookup(store.log(), 1 << 20);
        recalls = new Recalls(new Recalls.Parts(
                view,
                frames,
                store.facts(),
                link,
                waiting,
                task -> {
                    if (coldReadersRun) {
                        task.run();
                        return true;
                    }
                    return coldTasks.add(task);
                },
                timer,
                clock,
                () -> {},
                "region"));
        settle();
    }

    @AfterEach
    void close() throws Exception {
        store.close();
        view.close();
    }

    private void settle() {
        for (int i = 0; i < 50; i++) {
            for (Loop loop : store.loops()) {
                loop.doWork(clock.monotonicMs());
            }
        }
    }

    private void runRecalls() {
        duty = recalls;
        settle();
        nowMs += 20;
        settle();
        duty = now -> 0;
    }

    /** A message that waits an hour. */
    private RecallHandle waits(String key) {
        FrameDraft draft = new FrameDraft().body(ByteBuffer.wrap("m".getBytes(StandardCharsets.UTF_8)));
        DueTime.At due = (DueTime.At) times.of(new Wish(null, null, Long.toString(HOUR_MS), null, false));
        PropertyEdit properties = new PropertyEdit().put(PropertyKey.UNIQ_KEY, key);
        WaitingFrames.delay(draft, properties, "T", 0, due, RecallHash.of("T", key, due.wallMs()));
        append(draft);
        return new RecallHandle("T", "b", due.wallMs() + 1, key);
    }

    private void append(FrameDraft draft) {
        store.facts().append(SystemTopic.TIMER, 0, draft, FactSink.Room.ORDINARY, (result, end, queueOffset) -> {
            assertThat(end).isPositive();
        });
        settle();
    }

    /** Has what lies below an offset claimed for copies. */
    private List<Runnable> carried(long belowOffset) {
        List<Runnable> copies = new ArrayList<>();
        view.carryForward(belowOffset, new LogView.CarrySink() {
            @Override
            public void fact(Fact fact) {
                throw new AssertionError("a fact: " + fact);
            }

            @Override
            public void frame(long offset, LogView.FrameCopy copy) {
                copies.add(() -> {
                    SegmentLease lease = Objects.requireNonNull(frames.find(offset));
                    append(copy.of(new MessageFrame().wrap(lease.bytes(), 0)));
                    lease.release();
                });
            }
        });
        return copies;
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
        recalls.doWork(clock.monotonicMs()); // found in its old place, and not decided
        carried(store.log().endOffset()).forEach(Runnable::run);
        runRecalls();
        assertThat(told.answers).containsExactly("RECALLED");
        assertThat(view.fingerprint()).startsWith("0 waiting, 1 recalled");
        assertThat(view.firstLiveOffset()).as("nothing to be carried on").isEqualTo(Long.MAX_VALUE);
        Told again = ask(handle);
        runRecalls();
        assertThat(again.answers).containsExactly("ALREADY_RECALLED");
    }

    @Test
    void whileOneOfTwoIsBeingCopiedNoneIsTakenBack() {
        RecallHandle handle = waits("KEY1");
        long second = store.log().endOffset();
        assertThat(waits("KEY1")).isEqualTo(handle);
        List<Runnable> copies = carried(second);
        assertThat(copies).hasSize(1);
        Told told = ask(handle);
        runRecalls();
        assertThat(told.answers).isEmpty();
        assertThat(view.fingerprint()).startsWith("2 waiting, 0 recalled");
        copies.forEach(Runnable::run);
        runRecalls();
        assertThat(told.answers).containsExactly("RECALLED");
        assertThat(view.fingerprint()).startsWith("0 waiting");
    }

    @Test
    void whatCannotBeReadFailsForItsOwnRequestOnly() throws Exception {
        RecallHandle good = waits("KEY1");
        RecallHandle bad = new RecallHandle("T", "b", good.timeMs(), "KEY2");
        long hash = RecallHash.of("T", "KEY2", bad.timeMs() - 1);
        WaitingMessage noFrame = new WaitingMessage(bad.timeMs() - 1, 5, 5, 100, hash);
        Objects.requireNonNull(view.store())
                .write(
                        new ViewBatch().put(TimerKeys.named(hash, 5), TimerKeys.namedValue(noFrame)),
                        new LogPosition(store.log().logId(), 1, store.log().endOffset()));
        Told bads = ask(bad);
        Told goods = ask(good);
        runRecalls();
        assertThat(goods.answers).containsExactly("RECALLED");
        assertThat(bads.answers).hasSize(1).first().asString().startsWith("1 ").contains("at 5, cannot be read");
    }

    @Test
    void whatWaitedTooLongLeavesWhileALookHangsAndMoreThanTheLimitIsRefused() {
        RecallHandle handle = waits("KEY1");
        coldReadersRun = false;
        Told first = ask(handle);
        recalls.doWork(clock.monotonicMs());
        List<Told> others = new ArrayList<>();
        for (int i = 1; i < Recalls.MAX_ASKED; i++) {
            others.add(ask(handle));
        }
        assertThat(waiting.heldBytes()).isEqualTo(2L * handle.text().length() * Recalls.MAX_ASKED);
        Told oneMore = ask(handle);
        assertThat(oneMore.answers).hasSize(1).first().asString().startsWith(ResponseCode.SYSTEM_BUSY + " [OVERLOAD]");
        nowMs += LIMIT_MS + 1_000;
        waiting.doWork(clock.monotonicMs());
        recalls.doWork(clock.monotonicMs());
        assertThat(others).allSatisfy(told -> assertThat(told.answers).hasSize(1));
        assertThat(recalls.asked()).as("the one that is looked for").isOne();
        assertThat(waiting.heldBytes()).isZero();
        coldTasks.remove().run();
        coldReadersRun = true;
        runRecalls();
        assertThat(first.answers).as("told once, that it waited too long").hasSize(1);
        assertThat(recalls.asked()).isZero();
    }
}
