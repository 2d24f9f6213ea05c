package dev.perigee.sim.cluster;

import dev.perigee.broker.Broker;
import dev.perigee.broker.BrokerSeams;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Loop;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.replica.NodeId;
import dev.perigee.replica.follow.Restoring;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DyingDisk;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogNames;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.log.SyncedToMark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The machine a broker runs on. Its disk outlives every broker that was started on it. */
public final class BrokerMachine implements Machine {
    /** Where clients connect to the first broker. */
    public static final int PORT = 10_911;

    /** From one broker's port to the next one's. */
    static final int PORT_STEP = 10;

    private static final String FLUSHER = "perigee-flusher";
    private static final int MOST_STEPS_AFTER_FATAL = 100;
    private static final int HEX = 16;
    /** What makes a data folder the one it is, beside the log; of a slave also what it was told, of a member what it promised. */
    private static final Set<String> NAMES = Set.of(NodeId.FILE, "confirmed", "vote", "group");

    private final String name;
    private final Network network;
    private final MachineClock clock;
    private final CrashingDisk disk;
    /** The same as processes see it. */
    private final DyingDisk visible;

    private BrokerPlace place;
    private MemoryViewStores viewStores = new MemoryViewStores();
    private final SplittableRandom random;
    private final long roomyBytes;
    private @Nullable Broker broker;
    private @Nullable Cable cable;
    /** Of the process that runs, or ran last; a member's alone. */
    private @Nullable ColdReads coldReads;

    private @Nullable Throwable fatal;
    private int stepsAfterFatal;
    private Runnable begun = () -> {};
    private Runnable ended = () -> {};
    private boolean isFrozen;
    private boolean isStalled;
    private End endsAs = End.KILLED;
    /** A process that starts under the same number has lost nothing that was written. */
    private long boots = 1;

    private @Nullable Epoch epoch;
    private int memories;
    private int wipes;
    private long changedPlacesMs = Long.MIN_VALUE / 2;
    private boolean wasRotten;
    private boolean acceptsLoss;
    private long forgotMs = Long.MIN_VALUE / 2;

    private long changes;

    BrokerMachine(long seed, BrokerPlace place, Network network, MachineClock clock) {
        this.name = place.seat().machine();
        this.place = place;
        this.network = network;
        this.clock = clock;
        this.disk = new CrashingDisk(new Random(seed));
        this.visible = new DyingDisk(disk);
        this.random = new SplittableRandom(seed);
        this.roomyBytes = disk.freeBytes();
        place.ports().forEach(port -> network.roads().own(port, name()));
    }

    @Override
    public String name() {
        return name;
    }

    /** What clients know it by. */
    public String brokerName() {
        return place.seat().brokerName();
    }

    /** Where clients reach it. */
    public String address() {
        return "127.0.0.1:" + place.port();
    }

    /** How long a message waits at a delay level: as many seconds as its number. */
    public static long delayMs(int level) {
        return BrokerPlace.delayMs(level);
    }

    /** Whether it is not the slave of another one. */
    public boolean isMaster() {
        return place.seat().brokerId() == 0;
    }

    /** Whether all that it has confirmed is confirmed when it starts again, because nobody else has a word in it. */
    public boolean confirmsAlone() {
        return role() == Layout.Role.ALONE || role() == Layout.Role.ASYNC_MASTER;
    }

    /** What it does for copies of its log. */
    public Layout.Role role() {
        return place.seat().role();
    }

    /** Whether it answers for what it has forced, and not for what it has written. */
    public boolean forces() {
        return place.seat().forces();
    }

    /** How many brokers must have a message before it calls it acknowledged, if it waits for any. */
    public int copies() {
        return place.seat().copies();
    }

    /** Whether it is one of a group that elects its master. */
    public boolean isMember() {
        return role() == Layout.Role.MEMBER;
    }

    /** What its group calls it. */
    public String memberId() {
        return BrokerPlace.memberId(place.seat());
    }

    /** Where the other members of its group reach it. */
    public String memberAddress() {
        return "127.0.0.1:" + (place.port() + 1);
    }

    /** 0 for a master. */
    public long brokerId() {
        return place.seat().brokerId();
    }

    /** The name of its data folder, as it stands in facts; empty before it has one. */
    public Optional<String> nodeId() {
        try {
            String digits = new String(disk.content(NodeId.FILE), StandardCharsets.US_ASCII);
            return Optional.of(Long.toHexString(Long.parseUnsignedLong(digits.strip(), HEX)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Names what it remembers: another name once something may be gone that it answered for. */
    public String memory() {
        return memories == 0 ? name() : name() + "~" + memories;
    }

    /** Names its disk: another name once that was replaced. */
    public String disk() {
        return wipes == 0 ? name() : name() + "#" + wipes;
    }

    /** When something was last lost that it may have answered for, on the cluster's monotonic clock; far in the past when never. */
    public long forgotMs() {
        return forgotMs;
    }

    @Override
    public void start() throws Exception {
        fatal = null;
        stepsAfterFatal = random.nextInt(MOST_STEPS_AFTER_FATAL);
        isFrozen = false;
        disk.failForces(0); // what was to fail next was to fail in the last process
        disk.failWrites(0);
        Cable plugged = network.cables().make(name());
        ColdReads reads = isMember() ? new ColdReads(clock, random.split()) : null;
        Executor aside = reads == null ? Runnable::run : reads;
        Broker started = new Broker(
                BrokerConfig.read(place.settings(acceptsLoss)),
                clock,
                new BrokerSeams(plugged, visible, viewStores, random, boots, false, aside));
        started.onFatal(cause -> fatal = cause);
        try {
            started.start();
        } catch (IOException | RemotingException | RuntimeException e) {
            plugged.vanish(); // the process ends with an error
            afterProcess(visible.isDead() ? endsAs : End.KILLED);
            throw e;
        }
        cable = plugged;
        coldReads = reads;
        broker = started;
        changes++;
        begun.run();
    }

    /** From their next starts on this broker plays the part of the other one, and that the part of this one; both are down. */
    public void changePlacesWith(BrokerMachine other) {
        Layout.Seat mine = place.seat();
        place = place.as(mine.inPlaceOf(other.place.seat()));
        other.place = other.place.as(other.place.seat().inPlaceOf(mine));
        changedPlacesMs = clock.monotonicMs();
        other.changedPlacesMs = changedPlacesMs;
    }

    /** When it last became another one, on the cluster's monotonic clock; far in the past when never. */
    public long changedPlacesMs() {
        return changedPlacesMs;
    }

    /** Whether it ever became another one. */
    public boolean hasChangedPlaces() {
        return changedPlacesMs >= 0;
    }

    /** The epoch that its log ended in last; empty before it has any. */
    public Optional<Epoch> lastEpoch() {
        log().flatMap(log -> log.extent().epochs().last()).ifPresent(last -> epoch = last);
        return Optional.ofNullable(epoch);
    }

    /** Whether it has all that its master had when it began, if it is a slave that began empty. */
    public boolean isFull() {
        return !disk.exists(Restoring.FILE);
    }

    /** From its next start on it does not insist on the replicas its log names: whoever runs it knows that one of them is gone. */
    public void acceptLoss() {
        acceptsLoss = true;
    }

    /** Sets who is told whenever a broker has started. */
    public void onStart(Runnable listener) {
        begun = listener;
    }

    /** Sets who is told whenever a broker has ended, however it did. */
    public void onEnd(Runnable listener) {
        ended = listener;
    }

    /** Whether it serves clients as the master of its name, which one of a group does while it leads. */
    public boolean serves() {
        Broker now = broker;
        return now != null && now.isMaster();
    }

    @Override
    public boolean isUp() {
        return broker != null;
    }

    @Override
    public void end(End how) {
        lastEpoch();
        broker = null;
        isFrozen = false;
        Cable pulled = cable;
        if (pulled != null) {
            pulled.vanish();
        }
        afterProcess(how);
        ended.run();
    }

    private void afterProcess(End how) {
        place.ports().forEach(network::unplug);
        if (how == End.POWER_LOST) {
            losePowerWhileDown();
        } else {
            disk.kill();
        }
        viewStores.crash(random);
        visible.liveAgain();
        changes++;
    }

    /** No process runs, and what was written and not forced before is lost, or torn, or not. */
    public void losePowerWhileDown() {
        boots++;
        disk.crash();
        if (!forces()) {
            forget();
        }
    }

    /** The process, this one or the next, ends in the middle of its disk: in the call after so many that change something. */
    public void endInCall(int calls, End how) {
        visible.killAfter(calls);
        endsAs = how;
    }

    /** Whatever was to come in a call of its disk, the machine keeps its power. */
    public void keepPower() {
        endsAs = End.KILLED;
    }

    /** Whether the process has ended in a call of its disk, or is about to end because its log has failed. */
    boolean isDying() {
        return visible.isDead() || fatal != null;
    }

    /** Ends a process that is over: it was to end in a call, or its log has failed. */
    void endWhenOver() {
        if (broker != null && visible.isDead()) {
            end(endsAs);
        } else if (broker != null && fatal != null && stepsAfterFatal-- == 0) {
            end(End.KILLED); // until then it may say what it likes
        }
    }

    /** How often a process came or went, stood still or went on. */
    public long changes() {
        return changes;
    }

    @Override
    public void stop() {
        Broker stopped = broker;
        if (stopped != null) {
            try {
                stopped.close();
            } catch (IOException e) {
                end(visible.isDead() ? endsAs : End.KILLED); // the process ends with an error
                return;
            }
            if (visible.isDead()) {
                end(endsAs);
                return;
            }
            lastEpoch();
            broker = null;
            changes++;
            ended.run();
        }
    }

    private void forget() {
        memories++;
        forgotMs = clock.monotonicMs();
    }

    /** It has started with less than it knew: what it remembers has another name from now on. */
    public void mayHaveForgotten() {
        memories++;
    }

    /** Puts an empty disk in the place of this one, while no broker runs. */
    public void wipe() throws IOException {
        keep(Set.of());
        wipes++;
        forget();
    }

    /** Takes away everything but the log and how far it is known to be on the disk, while no broker runs. */
    public void loseViews() throws IOException {
        keep(Set.of(LogStorage.FOLDER, SyncedToMark.FILE));
    }

    /** Takes away everything but the log, while no broker runs. */
    public void keepOnlyTheLog() throws IOException {
        keep(Set.of(LogStorage.FOLDER));
    }

    private void keep(Set<String> kept) throws IOException {
        viewStores = new MemoryViewStores();
        disk.failForces(0); // that was for a process
        for (String name : disk.list("")) {
            boolean isName = NAMES.contains(name) || (isMember() && name.equals(Restoring.FILE));
            if (!kept.contains(name) && (kept.isEmpty() || !isName)) {
                delete(name);
            }
        }
        disk.syncFolder("");
    }

    /** For good: another disk, or one whose files are lost, does not bring back what was here, after whatever loss of power. */
    private void delete(String name) throws IOException {
        for (String inside : disk.list(name)) {
            delete(name + "/" + inside);
        }
        disk.syncFolder(name);
        disk.delete(name);
    }

    /** Turns bits of one byte of the log over, on the disk. */
    public void flipInLog(long offset, int mask) throws IOException {
        long begin = offset - offset % BrokerPlace.SEGMENT_BYTES;
        disk.flip(LogNames.fileName(begin), offset - begin, mask);
        wasRotten = true;
    }

    /** Whether a bit of the log was ever turned over. */
    public boolean wasRotten() {
        return wasRotten;
    }

    /** The next force of a file fails, after which the log is never written again. */
    public void failNextForce() {
        disk.failForces(1);
    }

    /** The next write fails, after which the log is never written again. */
    public void failNextWrite() {
        disk.failWrites(1);
    }

    /** Leaves no room on the disk, or all of it. */
    public void fill(boolean full) {
        disk.freeBytes(full ? 0 : roomyBytes);
    }

    /** Nothing fails any more that has not failed yet. */
    public void heal() {
        disk.failForces(0);
        disk.failWrites(0);
        if (!visible.isDead()) {
            visible.liveAgain();
        }
        fill(false);
        stall(false);
    }

    @Override
    public void freeze() {
        Cable mine = cable;
        if (mine != null && isUp()) {
            isFrozen = true;
            changes++;
            mine.freeze();
        }
    }

    @Override
    public void thaw() {
        Cable mine = cable;
        if (mine != null && isFrozen) {
            isFrozen = false;
            changes++;
            mine.thaw();
        }
    }

    @Override
    public void jump(long ms) {
        clock.jump(ms);
    }

    /** What the disk holds of the log from an offset to the end of that segment, durable or not; empty where there is no file. */
    public ByteBuffer onDisk(long offset) throws IOException {
        long begin = offset - offset % BrokerPlace.SEGMENT_BYTES;
        String file = LogNames.fileName(begin);
        if (!disk.exists(file)) {
            return ByteBuffer.allocate(0);
        }
        ByteBuffer bytes = ByteBuffer.wrap(disk.content(file));
        return bytes.position((int) Math.min(bytes.limit(), offset - begin)).slice();
    }

    /** The names of the files and folders in a folder of its disk. */
    public List<String> files(String inFolder) {
        return disk.list(inFolder);
    }

    /** The log of the broker that runs here. */
    public Optional<CommitLog> log() {
        return Optional.ofNullable(broker).map(Broker::log);
    }

    /** Another machine, alone, with a copy of this one's log and nothing else, and the clock of a third. */
    BrokerMachine copyOfLog(Network lonely, BrokerMachine timed) throws IOException {
        BrokerMachine copy = new BrokerMachine(boots, place.alone(), lonely, timed.clock);
        for (String name : disk.list(LogStorage.FOLDER)) {
            String file = LogStorage.FOLDER + "/" + name;
            copy.disk.put(file, disk.content(file));
        }
        return copy;
    }

    /** Nothing that is written reaches the disk, or it does again. */
    public void stall(boolean stalls) {
        isStalled = stalls;
        changes++;
    }

    List<Loop> loops() {
        Broker running = broker;
        if (running == null || isFrozen) {
            return List.of();
        }
        List<Loop> loops = new ArrayList<>(running.loops());
        loops.removeIf(loop -> isStalled && loop.name().equals(FLUSHER));
        ColdReads reads = coldReads;
        if (reads != null) {
            loops.add(reads);
        }
        return loops;
    }
}
