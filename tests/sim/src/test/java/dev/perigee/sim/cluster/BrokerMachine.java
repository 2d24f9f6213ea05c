package dev.perigee.sim.cluster;

import dev.perigee.broker.Broker;
import dev.perigee.broker.BrokerSeams;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Loop;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DyingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogNames;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.log.SyncedToMark;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The machine a broker runs on. Its disk outlives every broker that was started on it. */
public final class BrokerMachine implements Machine {
    /** Where clients connect to the first broker. */
    public static final int PORT = 10_911;

    /** From one broker's port to the next one's. */
    static final int PORT_STEP = 10;

    private static final String FLUSHER = "perigee-flusher";
    private static final int LEVELS = 18;
    private static final int MOST_STEPS_AFTER_FATAL = 100;
    private static final int SEGMENT_BYTES = 1 << 20;

    private final Layout.Seat seat;
    private final int port;
    private final String nameServers;
    private final Network network;
    private final MachineClock clock;
    private final CrashingDisk disk;
    /** The same as processes see it. */
    private final DyingDisk visible;

    private MemoryViewStores viewStores = new MemoryViewStores();
    private final SplittableRandom random;
    private final long roomyBytes;
    private @Nullable Broker broker;
    private @Nullable Cable cable;
    private @Nullable Throwable fatal;
    private int stepsAfterFatal;
    private Runnable begun = () -> {};
    private Runnable ended = () -> {};
    private boolean isFrozen;
    private boolean isStalled;
    private End endsAs = End.KILLED;
    /** A process that starts under the same number has lost nothing that was written. */
    private long boots = 1;

    private long changes;

    BrokerMachine(long seed, Layout.Seat seat, int port, Network network, MachineClock clock, String nameServers) {
        this.seat = seat;
        this.port = port;
        this.nameServers = nameServers;
        this.network = network;
        this.clock = clock;
        this.disk = new CrashingDisk(new Random(seed));
        this.visible = new DyingDisk(disk);
        this.random = new SplittableRandom(seed);
        this.roomyBytes = disk.freeBytes();
        network.roads().own(port, name());
        network.roads().own(port - BrokerConfig.FAST_PORT_BELOW, name());
        network.roads().own(port + 1, name());
    }

    @Override
    public String name() {
        return seat.machine();
    }

    /** What clients know it by. */
    public String brokerName() {
        return seat.brokerName();
    }

    /** Where clients reach it. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    /** How long a message waits at a delay level: as many seconds as its number. */
    public static long delayMs(int level) {
        return TimeUnit.SECONDS.toMillis(Math.min(level, LEVELS));
    }

    private static String delayLevels() {
        return IntStream.rangeClosed(1, LEVELS).mapToObj(level -> level + "s").collect(Collectors.joining(" "));
    }

    private Properties settings() {
        Properties properties = new Properties();
        properties.setProperty("brokerName", seat.brokerName());
        properties.setProperty("brokerId", Long.toString(seat.brokerId()));
        properties.setProperty("brokerIP1", "127.0.0.1");
        if (!nameServers.isEmpty()) {
            properties.setProperty("namesrvAddr", nameServers);
        }
        properties.setProperty("listenPort", Integer.toString(port));
        properties.setProperty("mappedFileSizeCommitLog", Integer.toString(SEGMENT_BYTES));
        properties.setProperty("messageDelayLevel", delayLevels());
        return properties;
    }

    @Override
    public void start() throws Exception {
        fatal = null;
        stepsAfterFatal = random.nextInt(MOST_STEPS_AFTER_FATAL);
        isFrozen = false;
        disk.failForces(0); // what was to fail next was to fail in the last process
        disk.failWrites(0);
        Cable plugged = network.cables().make(name());
        Broker started = new Broker(
                BrokerConfig.read(settings()),
                clock,
                new BrokerSeams(plugged, visible, viewStores, random, boots, false));
        started.onFatal(cause -> fatal = cause);
        try {
            started.start();
        } catch (IOException | RemotingException | RuntimeException e) {
            plugged.vanish(); // the process ends with an error
            afterProcess(visible.isDead() ? endsAs : End.KILLED);
            throw e;
        }
        cable = plugged;
        broker = started;
        changes++;
        begun.run();
    }

    /** Sets who is told whenever a broker has started. */
    public void onStart(Runnable listener) {
        begun = listener;
    }

    /** Sets who is told whenever a broker has ended, however it did. */
    public void onEnd(Runnable listener) {
        ended = listener;
    }

    @Override
    public boolean isUp() {
        return broker != null;
    }

    @Override
    public void end(End how) {
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
        network.unplug(port);
        network.unplug(port - BrokerConfig.FAST_PORT_BELOW);
        if (how == End.POWER_LOST) {
            boots++;
            disk.crash();
        } else {
            disk.kill();
        }
        viewStores.crash(random);
        visible.liveAgain();
        changes++;
    }

    /** The process, this one or the next, ends in the middle of its disk: in the call after so many that change something. */
    public void endInCall(int calls, End how) {
        visible.killAfter(calls);
        endsAs = how;
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
            broker = null;
            changes++;
            ended.run();
        }
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
            if (!kept.contains(name)) {
                delete(name);
            }
        }
        disk.syncFolder("");
    }

    private void delete(String name) throws IOException {
        for (String inside : disk.list(name)) {
            delete(name + "/" + inside);
        }
        disk.delete(name);
    }

    /** Turns bits of one byte of the log over, on the disk. */
    public void flipInLog(long offset, int mask) throws IOException {
        long begin = offset - offset % SEGMENT_BYTES;
        disk.flip(LogNames.fileName(begin), offset - begin, mask);
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

    /** The log of the broker that runs here. */
    public Optional<CommitLog> log() {
        return Optional.ofNullable(broker).map(Broker::log);
    }

    /** Another machine, alone, with a copy of this one's log and nothing else. */
    BrokerMachine copyOfLog(Network lonely) throws IOException {
        BrokerMachine copy = new BrokerMachine(boots, seat, port, lonely, clock, "");
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
        return isStalled
                ? running.loops().stream()
                        .filter(loop -> !loop.name().equals(FLUSHER))
                        .toList()
                : running.loops();
    }
}
