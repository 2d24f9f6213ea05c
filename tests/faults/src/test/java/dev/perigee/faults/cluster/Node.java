package dev.perigee.faults.cluster;

import dev.perigee.faults.machine.Cable;
import dev.perigee.faults.machine.NodeClock;
import dev.perigee.faults.machine.Volume;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.RemotingProbe;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One broker process with a cable, a disk and a clock of its own, all of which can be hurt. What is asked of a process that is not there does
 * nothing, so that faults may overlap on one node. For one thread.
 */
public final class Node implements AutoCloseable {
    private final String name;
    private final Path folder;
    private final ServerProgram program;
    private final Map<String, String> settings;
    private final String address;
    private final Cable cable;
    private final Volume volume;
    private final NodeClock clock;

    private @Nullable JavaProcess process;
    private boolean shouldRun;
    private int starts;
    private int deaths;

    /** A node that does not run yet. */
    Node(Path folder, ServerProgram program, Map<String, String> settings, int port, Cable cable, Volume volume)
            throws IOException {
        this.name = folder.getFileName().toString();
        this.folder = folder;
        this.program = program;
        this.settings = settings;
        this.address = cable.address() + ":" + port;
        this.cable = cable;
        this.volume = volume;
        this.clock = NodeClock.create(folder);
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
            process = program.command(name + "-" + starts++, folder, settings)
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
    void supervise() throws IOException {
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
