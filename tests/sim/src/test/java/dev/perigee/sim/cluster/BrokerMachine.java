package dev.perigee.sim.cluster;

import dev.perigee.broker.Broker;
import dev.perigee.broker.BrokerSeams;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.io.IOException;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The machine the broker runs on. Its disk outlives every broker that was started on it. */
public final class BrokerMachine {
    /** Where clients connect. */
    public static final int PORT = 10_911;

    private static final int LEVELS = 18;
    private static final int SEGMENT_BYTES = 1 << 20;

    /** How a broker ends that nobody asked to. */
    public enum End {
        /** The machine went dark: what was not forced is lost, or torn, or not. */
        POWER_LOST,
        /** The process was killed: what was written is there, but no more durable than before. */
        KILLED
    }

    private final String nameServer;
    private final MemoryTransport network;
    private final Clock clock;
    private final CrashingDisk disk;
    private MemoryViewStores viewStores = new MemoryViewStores();
    private final SplittableRandom random;
    private final long roomyBytes;
    private @Nullable Broker broker;
    private @Nullable Throwable fatal;
    private Runnable ended = () -> {};
    private long boots;

    BrokerMachine(long seed, String nameServer, MemoryTransport network, Clock clock) {
        this.nameServer = nameServer;
        this.network = network;
        this.clock = clock;
        this.disk = new CrashingDisk(new Random(seed));
        this.random = new SplittableRandom(seed);
        this.roomyBytes = disk.freeBytes();
    }

    /** How long a message waits at a delay level: as many seconds as its number. */
    public static long delayMs(int level) {
        return TimeUnit.SECONDS.toMillis(Math.min(level, LEVELS));
    }

    private static String delayLevels() {
        return IntStream.rangeClosed(1, LEVELS).mapToObj(level -> level + "s").collect(Collectors.joining(" "));
    }

    /** Starts a broker on what the disk holds. */
    public void start() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("brokerIP1", "127.0.0.1");
        properties.setProperty("namesrvAddr", nameServer);
        properties.setProperty("listenPort", Integer.toString(PORT));
        properties.setProperty("mappedFileSizeCommitLog", Integer.toString(SEGMENT_BYTES));
        properties.setProperty("messageDelayLevel", delayLevels());
        boots++;
        fatal = null;
        disk.failForces(0); // what was to fail next was to fail in the last process
        disk.failWrites(0);
        Broker started = new Broker(
                BrokerConfig.read(properties), clock, new BrokerSeams(network, disk, viewStores, random, boots, false));
        started.onFatal(cause -> fatal = cause);
        started.start();
        broker = started;
    }

    /** Sets who is told whenever a broker has ended, however it did. */
    public void onEnd(Runnable listener) {
        ended = listener;
    }

    /** Whether a broker runs here. */
    public boolean isUp() {
        return broker != null;
    }

    /** Whether the log can never be written again, so that the process has to end. */
    boolean hasFailed() {
        return fatal != null && broker != null;
    }

    /** Ends the broker at once. */
    public void end(End how) {
        broker = null;
        network.unplug(PORT);
        network.unplug(PORT - BrokerConfig.FAST_PORT_BELOW);
        while (network.openConnections() > 0) {
            network.breakConnection(0);
        }
        if (how == End.POWER_LOST) {
            disk.crash();
        } else {
            disk.kill();
        }
        viewStores.crash(random);
        ended.run();
    }

    /** Stops the broker in order, as far as the disk lets it. */
    public void stop() {
        Broker stopped = broker;
        if (stopped != null) {
            try {
                stopped.close();
                broker = null;
                ended.run();
            } catch (IOException e) {
                end(End.KILLED); // the process ends with an error
            }
        }
    }

    /** Takes away everything but the log, while no broker runs. */
    public void keepOnlyTheLog() throws IOException {
        viewStores = new MemoryViewStores();
        for (String name : disk.list("")) {
            if (!name.equals("commitlog")) {
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
        fill(false);
    }

    List<Loop> loops() {
        Broker running = broker;
        return running == null ? List.of() : running.loops();
    }
}
