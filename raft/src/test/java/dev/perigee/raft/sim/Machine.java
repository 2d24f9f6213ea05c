package dev.perigee.raft.sim;

import dev.perigee.raft.Effects;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftConfig;
import dev.perigee.raft.RaftConfig.HeldWhen;
import dev.perigee.raft.RaftMessage;
import dev.perigee.raft.RaftMessage.Held;
import dev.perigee.raft.RaftMessage.HelloAnswer;
import dev.perigee.raft.RaftMessage.LeadAnswer;
import dev.perigee.raft.RaftNode;
import dev.perigee.raft.Recovered;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.raft.Role;
import dev.perigee.raft.Vote;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.MembersFact;
import dev.perigee.raft.script.Words;
import dev.perigee.store.epoch.ForkSearch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What a broker is to its Raft node: carries out effects over a log, a disk and a network, and tells what became of them. */
final class Machine {
    private static final int CALM_UNITS = 32;
    private static final int CALM_FORCE_MS = 12;
    static final long ELECTION_MS = 100;
    private static final long RESEND_MS = 40;
    /** How often a feed says something when there is nothing new. */
    private static final long BEAT_MS = 20;

    private static final boolean TRACE = Boolean.getBoolean("raft.trace");

    /** What machines share: the course of time, the network, and who looks on. */
    record World(
            Timetable timetable, Wire wire, Watch watch, RandomGenerator chance, HeldWhen heldWhen, Temper temper) {}

    private record Pending(long id, long end) {}

    private record FailingForce(BooleanSupplier may, Runnable after) {}

    /** The stream to one follower. */
    private static final class Feed {
        private final long session;
        private long sent = -1;
        private long held = -1;
        private long movedMs;
        private long toldConfirm = -1;
        private long toldMs;

        Feed(long session) {
            this.session = session;
        }
    }

    private final World world;
    private final String id;
    private final Members configured;
    private long nodeId;
    private SimLog log = new SimLog();
    private long forced;
    private Vote voteOnDisk = Vote.NONE;
    private long confirmKept;
    private Condition conditionOnDisk = Condition.SOUND;

    private int life;
    private boolean up;
    private @Nullable RaftNode raft;
    private Role.Kind kind = Role.Kind.FOLLOWER;
    private long generation;
    private boolean flushing;
    private long voteWrittenMs;
    private long confirmSeen;
    private long ledSinceMs;
    private long stoppedUntilMs;
    /** So much its clock is ahead of the others'. */
    private long clockAheadMs;

    private long diskStalledUntilMs;
    private @Nullable FailingForce failing;

    private int epoch;
    private long epochId;
    private Effects.@Nullable Following following;
    /** Questions of the search for the fork so far. */
    private int asked;

    private final Map<String, Feed> feeds = new HashMap<>();
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();

    Machine(World world, String id, long nodeId, Members configured) {
        this.world = world;
        this.id = id;
        this.nodeId = nodeId;
        this.configured = configured;
    }

    String id() {
        return id;
    }

    long nodeId() {
        return nodeId;
    }

    boolean isUp() {
        return up;
    }

    SimLog log() {
        return log;
    }

    Optional<RaftNode> raft() {
        return Optional.ofNullable(raft);
    }

    boolean leads() {
        return up && raft != null && raft.role().kind() == Role.Kind.LEADER;
    }

    /** Whether it answers what only a leader may (R32). */
    boolean answers() {
        return leads() && raft != null && raft.isEstablished() && clockMs() < raft.inTouchUntilMs();
    }

    int term() {
        return raft().map(RaftNode::term).orElse(0);
    }

    /** Whether it leads, and takes what clients ask. */
    boolean admits() {
        return raft().map(RaftNode::admits).orElse(false);
    }

    /** Whether it leads, and all others have answered in its term. */
    boolean isKnownToAll() {
        return raft().map(RaftNode::isKnownToAll).orElse(false);
    }

    /** For how long it leads. */
    long ledForMs() {
        return world.timetable().nowMs() - ledSinceMs;
    }

    boolean isSound() {
        return up ? raft != null && raft.condition() == Condition.SOUND : conditionOnDisk == Condition.SOUND;
    }

    // ---- life and death ----

    void start() {
        life++;
        up = true;
        generation++;
        forced = log.end(); // recovery has written and forced again what it found (R8)
        flushing = false;
        failing = null;
        feeds.clear();
        pending.clear();
        following = null;
        kind = Role.Kind.FOLLOWER;
        RandomGenerator chance = world.chance();
        Recovered found = new Recovered(
                voteOnDisk, log.logEnd(), generation, Math.min(confirmKept, log.end()), log.members(), conditionOnDisk);
        confirmSeen = found.confirmOffset();
        raft = new RaftNode(
                new RaftConfig(id, nodeId, configured, ELECTION_MS, 20, world.heldWhen()), found, chance::nextLong);
        ticks(life);
    }

    /** The process ends; with the power what was not forced goes too. */
    void stop(boolean withPower) {
        up = false;
        life++;
        raft = null;
        if (withPower && log.end() > forced) {
            long lost = world.chance().nextLong(log.end() - forced + 1);
            log.cutTo(log.unitEndAtMost(forced + lost));
        }
        if (withPower && world.heldWhen() == HeldWhen.WRITTEN) {
            conditionOnDisk = Condition.RESTORING;
        }
    }

    /** Another disk. */
    void wipe(long newNodeId) {
        nodeId = newNodeId;
        log = new SimLog();
        forced = 0;
        voteOnDisk = Vote.NONE;
        confirmKept = 0;
        conditionOnDisk = Condition.SOUND;
    }

    /** It stands still, as a stopped process does. */
    void holdUp(long ms) {
        stoppedUntilMs = Math.max(stoppedUntilMs, world.timetable().nowMs() + ms);
    }

    /** Its clock jumps forward, as after a machine was suspended. */
    void jumpClock(long ms) {
        clockAheadMs += ms;
    }

    /** Nothing becomes durable for so long. */
    void stallDisk(long ms) {
        diskStalledUntilMs = Math.max(diskStalledUntilMs, world.timetable().nowMs() + ms);
    }

    /** The next force of the log or the vote fails, if it may then, which stops the process: what it was to make durable may be gone. */
    void failNextForce(BooleanSupplier may, Runnable after) {
        failing = new FailingForce(may, after);
    }

    void healDisk() {
        failing = null;
        diskStalledUntilMs = 0;
    }

    /** Whether a force failed just now; then this life is over. */
    private boolean forceFailed() {
        FailingForce now = failing;
        failing = null;
        if (now == null || !now.may().getAsBoolean()) {
            return false;
        }
        stop(true);
        now.after().run();
        return true;
    }

    /** How much later the disk is done than it would be. */
    private long diskStallMs() {
        return Math.max(0, diskStalledUntilMs - world.timetable().nowMs());
    }

    private long clockMs() {
        return world.timetable().nowMs() + clockAheadMs;
    }

    private void ticks(int ofLife) {
        if (ofLife == life) {
            act(raft -> raft.tick(clockMs()));
            resend();
            long inMs = Math.max(
                    1, raft().map(node -> node.nextTickMs() - clockMs()).orElse(10L));
            in(Math.min(inMs, 10), () -> ticks(ofLife));
        }
    }

    /** Later, unless this life has ended by then; later still while it stands still. */
    private void in(long delayMs, Runnable task) {
        int planned = life;
        world.timetable().in(delayMs, () -> {
            if (planned == life && up) {
                long heldUpMs = stoppedUntilMs - world.timetable().nowMs();
                if (heldUpMs > 0) {
                    in(heldUpMs, task);
                } else {
                    task.run();
                }
            }
        });
    }

    /** Something comes over the network. */
    void receive(Runnable frame) {
        if (up) {
            in(0, frame);
        }
    }

    // ---- effects ----

    /** Tells the node something, and carries out what it wants. */
    Effects act(Function<RaftNode, Effects> event) {
        RaftNode node = raft;
        if (node == null) {
            return Effects.NONE;
        }
        Effects effects = event.apply(node);
        if (!effects.isNone()) { // whoever changes its role says so
            carryOut(node, effects);
        }
        return effects;
    }

    private void carryOut(RaftNode node, Effects effects) {
        if (TRACE) {
            System.out.println(world.timetable().nowMs() + " " + id + "." + life + " " + Words.of(node));
            Words.of(effects).forEach(line -> System.out.println("    " + line));
        }
        if (effects.notes().stream().anyMatch(note -> note.startsWith("event=possible_loss"))) {
            world.watch().possibleLoss();
        }
        if (effects.steppedDown()) {
            pending.clear(); // of unknown outcome (R2)
            feeds.clear();
        }
        Role.Kind now = node.role().kind();
        if (now == Role.Kind.LEADER
                && (kind != Role.Kind.LEADER || effects.epochToBegin().isPresent())) {
            world.watch().leads(id + "." + life, node, log);
            ledSinceMs = world.timetable().nowMs();
        }
        kind = now;
        effects.persist().ifPresent(this::persist);
        effects.truncate().ifPresent(this::cut);
        effects.confirm().ifPresent(offset -> confirmed(node, offset));
        effects.follow().ifPresent(this::follow);
        effects.send().forEach(this::send);
        if (effects.restored()) {
            conditionOnDisk = Condition.SOUND;
        }
        effects.epochToBegin().ifPresent(this::beginEpoch);
        effects.append().ifPresent(this::appendMembers);
    }

    private void persist(Vote vote) {
        RandomGenerator chance = world.chance();
        voteWrittenMs = Math.max(voteWrittenMs, world.timetable().nowMs() + diskStallMs()) + 1 + chance.nextInt(10);
        in(voteWrittenMs - world.timetable().nowMs(), () -> {
            if (forceFailed()) {
                return;
            }
            voteOnDisk = vote;
            act(raft -> raft.votePersisted(vote));
        });
    }

    private void cut(long endOffset) {
        int ofLife = life;
        in(1 + world.chance().nextInt(15), () -> {
            if (ofLife == life && raft != null) {
                world.watch().cut(id, raft, endOffset);
                log.cutTo(endOffset);
                forced = endOffset;
                generation++;
                long cutGeneration = generation;
                act(raft -> raft.truncated(cutGeneration, log.endAt(endOffset)));
            }
        });
    }

    private void confirmed(RaftNode node, long offset) {
        boolean leads = node.role().kind() == Role.Kind.LEADER;
        for (int i = log.indexBehind(confirmSeen); i < log.size() && log.get(i).end() <= offset; i++) {
            world.watch().confirmed(id, log.get(i), leads, node.term());
        }
        confirmSeen = offset;
        while (!pending.isEmpty() && pending.peek().end() <= offset) {
            Pending done = pending.remove();
            world.watch().acknowledged(id, done.id(), done.end());
        }
        if (world.chance().nextInt(4) == 0) {
            confirmKept = Math.max(confirmKept, offset);
        }
    }

    // ---- writing ----

    private void beginEpoch(int term) {
        epoch = term;
        epochId = world.chance().nextLong() | 1;
        write(null);
        act(raft -> raft.epochBegun(log.logEnd()));
    }

    private void appendMembers(Members members) {
        if (leads()) {
            Unit unit = write(members);
            act(raft -> raft.membersFound(new MembersFact(members, unit.end())));
            act(raft -> raft.appended(log.logEnd()));
        }
    }

    /** A client's message, if it is taken. */
    void send() {
        if (up && raft != null && raft.admits()) {
            Unit unit = write(null);
            pending.add(new Pending(unit.id(), unit.end()));
            act(raft -> raft.appended(log.logEnd()));
            pump();
        }
    }

    private Unit write(@Nullable Members members) {
        RandomGenerator chance = world.chance();
        Unit unit = log.append(10 + chance.nextInt(90), epoch, epochId, chance.nextLong(), members);
        world.watch().written(id, unit);
        flush();
        return unit;
    }

    private void flush() {
        if (flushing || log.end() == forced) {
            return;
        }
        flushing = true;
        long end = log.end();
        long ofGeneration = generation;
        in(
                1
                        + diskStallMs()
                        + world.chance()
                                .nextInt(
                                        world.wire().isCalm()
                                                ? CALM_FORCE_MS
                                                : world.temper().forceMs()),
                () -> {
                    if (forceFailed()) {
                        return;
                    }
                    flushing = false;
                    if (ofGeneration == generation) {
                        forced = end;
                    }
                    act(raft -> raft.flushed(ofGeneration, end));
                    flush();
                    pump();
                });
    }

    // ---- following ----

    private void send(RaftMessage message) {
        if (message instanceof HelloAnswer answer && answer.refusal().isEmpty()) {
            feeds.put(answer.to(), new Feed(answer.session()));
        }
        world.wire().send(id, message.to(), to -> to.stepped(message));
    }

    private void stepped(RaftMessage message) {
        act(raft -> raft.step(message));
        if (message instanceof Held held) {
            fed(held.from(), held.session(), held.endOffset());
        } else if (message instanceof LeadAnswer answer && answer.session() != 0) {
            fed(answer.from(), answer.session(), answer.heldOffset());
        }
    }

    private void follow(Effects.Following next) {
        following = next;
        searched(next, ForkSearch.begin(log.extent()));
    }

    private void searched(Effects.Following in, ForkSearch.Step step) {
        if (step instanceof ForkSearch.Ask ask) {
            world.wire().send(id, in.leader(), leader -> leader.askedForFork(in, id, ask));
            int ofLife = life;
            int question = ++asked;
            world.timetable().in(RESEND_MS, () -> {
                // Not answered; another question would have followed, or the end of the search.
                if (ofLife == life && question == asked && in.equals(following)) {
                    act(raft -> raft.sessionEnded(in.session()));
                }
            });
        } else {
            asked++;
            LogEnd fork = step instanceof ForkSearch.Fork found ? log.endAt(found.offset()) : LogEnd.EMPTY;
            act(raft -> raft.forked(in.session(), fork));
        }
    }

    private void askedForFork(Effects.Following of, String follower, ForkSearch.Ask ask) {
        Feed feed = feeds.get(follower);
        if (leads() && feed != null && feed.session == of.session()) {
            Optional<ForkSearch.Answer> answer = ForkSearch.answer(ask, log.extent());
            world.wire().send(id, follower, to -> to.answeredFork(of, answer));
        }
    }

    private void answeredFork(Effects.Following of, Optional<ForkSearch.Answer> answer) {
        if (of.equals(following)) {
            searched(of, ForkSearch.next(answer, log.extent()));
        }
    }

    private void received(long session, List<Unit> units, long confirm) {
        RaftNode node = raft;
        if (node == null || !node.accepts(session)) {
            return;
        }
        for (Unit unit : units) {
            if (unit.start() > log.end()) {
                return; // a gap: it comes again
            }
            if (unit.start() == log.end()) {
                log.add(unit);
                world.watch().written(id, log.get(log.size() - 1));
                Members members = unit.members();
                if (members != null) {
                    act(raft -> raft.membersFound(new MembersFact(members, unit.end())));
                }
            }
        }
        act(raft -> raft.received(session, confirm, log.logEnd()));
        flush();
    }

    // ---- feeding ----

    private void fed(String follower, long session, long held) {
        Feed feed = feeds.get(follower);
        if (feed != null && feed.session == session && held > feed.held) {
            feed.held = held;
            feed.sent = Math.max(feed.sent, held);
            feed.movedMs = world.timetable().nowMs();
            pump();
        }
    }

    private void resend() {
        long nowMs = world.timetable().nowMs();
        for (Feed feed : feeds.values()) {
            if (feed.held >= 0 && nowMs - feed.movedMs > RESEND_MS) {
                feed.movedMs = nowMs;
                feed.sent = feed.held;
            }
        }
        if (!feeds.isEmpty()) {
            pump();
        }
    }

    private void pump() {
        RaftNode node = raft;
        if (node == null || !leads()) {
            return;
        }
        for (Map.Entry<String, Feed> entry : new ArrayList<>(feeds.entrySet())) {
            Feed feed = entry.getValue();
            if (feed.held < 0) {
                continue;
            }
            List<Unit> units = log.from(
                    feed.sent,
                    world.wire().isCalm() ? CALM_UNITS : world.temper().windowUnits());
            if (!units.isEmpty()) {
                feed.sent = units.get(units.size() - 1).end();
            }
            long confirm = node.confirmOffset();
            long nowMs = world.timetable().nowMs();
            if (units.isEmpty() && confirm == feed.toldConfirm && nowMs - feed.toldMs < BEAT_MS) {
                continue;
            }
            feed.toldConfirm = confirm;
            feed.toldMs = nowMs;
            world.wire().send(id, entry.getKey(), to -> to.received(feed.session, units, confirm));
        }
    }
}
