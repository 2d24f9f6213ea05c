package dev.perigee.faults.cluster;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.faults.machine.Cable;
import dev.perigee.faults.machine.NodeClock;
import dev.perigee.faults.machine.Volume;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.RemotingProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One broker process with a cable, a disk and a clock of its own, all of which can be hurt. What is asked of a process that is not there does
 * nothing, so that faults may overlap on one node. For one thread.
 */
public final class Node implements AutoCloseable {
    private static final int GET_ALL_TOPIC_CONFIG = 21;

    private final String name;
    private final Path folder;
    private final ServerProgram program;
    private final Map<String, String> settings;
    private final Path store;
    private final String address;
    private final Cable cable;
    private final Volume volume;
    private final NodeClock clock;

    private Map<String, String> role;
    private @Nullable JavaProcess process;
    private boolean shouldRun;
    private int starts;
    private int deaths;
    private int foldersPutAside;

    /** A node that does not run yet; {@code settings} are those that stay, {@code role} those that a promotion changes. */
    Node(
            Path folder,
            ServerProgram program,
            Map<String, String> settings,
            Map<String, String> role,
            int port,
            Cable cable,
            Volume volume)
            throws IOException {
        this.name = folder.getFileName().toString();
        this.folder = folder;
        this.program = program;
        this.settings = settings;
        this.role = role;
        this.store = storeOn(volume);
        this.address = cable.address() + ":" + port;
        this.cable = cable;
        this.volume = volume;
        this.clock = NodeClock.create(folder);
    }

    /** Where a broker on that disk keeps everything. */
    static Path storeOn(Volume volume) {
        return volume.path().resolve("store");
    }

    /** What joins it to the others. */
    public Cable cable() {
        return cable;
    }

    /** Where it keeps everything. */
    public Volume volume() {
        return volume;
    }

    /** Its time of day. */
    public NodeClock clock() {
        return clock;
    }

    /** Starts its process unless it runs; does not wait until it is ready. */
    public void launch() throws IOException {
        shouldRun = true;
        if (!isAlive()) {
            Map<String, String> all = new TreeMap<>(settings);
            all.putAll(role);
            process = program.command(name + "-" + starts++, folder, all)
                    .runBy(cable.runner())
                    .runBy(clock.runner())
                    .start();
        }
    }

    /** SIGKILL. */
    public void kill() throws IOException {
        shouldRun = false;
        if (process != null) {
            process.kill();
            NodeClock.forget(process.pid());
        }
    }

    /** SIGTERM, and waits until it has ended. */
    public void stop() throws IOException {
        shouldRun = false;
        if (process != null) {
            process.stop();
            NodeClock.forget(process.pid());
        }
    }

    /** Whether its file says that it is the master. */
    public boolean isMaster() {
        return "0".equals(role.get("brokerId"));
    }

    /** Each has the other's role from its next start on. */
    public void exchangeRolesWith(Node other) {
        Map<String, String> former = role;
        role = other.role;
        other.role = former;
    }

    /** Lets its next start find an empty folder; what it had stays beside that. Its process must be gone. */
    public void putFolderAside() throws IOException {
        foldersPutAside++;
        Files.move(store, store.resolveSibling(store.getFileName() + "-" + foldersPutAside));
    }

    /** Whether it has a slave that is in sync and has nearly all that it has itself; false when it does not answer. */
    public boolean hasLevelSlave() {
        return isAlive() && HaStatus.of(address).filter(HaStatus::isLevel).isPresent();
    }

    /** Whether it knows the topic of the load: stock slaves ask their master once a minute. False when it does not answer. */
    public boolean knowsTopic() {
        try {
            RemotingProbe.Answer answer = RemotingProbe.ask(address, GET_ALL_TOPIC_CONFIG, new JSONObject());
            return answer.code() == 0 && answer.body().contains('"' + Cluster.TOPIC + '"');
        } catch (IOException notNow) {
            return false;
        }
    }

    /** SIGSTOP. */
    public void suspend() throws IOException {
        if (process != null) {
            process.suspend();
        }
    }

    /** SIGCONT. */
    public void resume() throws IOException {
        if (process != null) {
            process.resume();
        }
    }

    /** Starts it again if it has ended by itself, as a service supervisor would; counts that. */
    public void supervise() throws IOException {
        if (shouldRun && process != null && !process.isAlive()) {
            deaths++;
            System.out.println(
                    "faults: " + name + " has ended by itself\n" + tail(process.stdout() + process.stderr()));
            NodeClock.forget(process.pid());
            launch();
        }
    }

    private static String tail(String text) {
        int longest = 2_000;
        return text.substring(Math.max(0, text.length() - longest));
    }

    /** Whether its process runs, stopped or not. */
    public boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** Whether it takes connections where clients look for it. */
    boolean isReachable() {
        return isAlive() && RemotingProbe.accepts(address);
    }

    /** How often its folder was put aside. */
    int foldersPutAside() {
        return foldersPutAside;
    }

    /** How often it ended though nobody had asked it to. */
    int deaths() {
        return deaths;
    }

    /** Kills it and takes its disk away. */
    @Override
    public void close() throws IOException {
        kill();
        volume.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
