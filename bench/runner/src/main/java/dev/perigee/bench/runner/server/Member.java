package dev.perigee.bench.runner.server;

import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** One broker of a group, which can be killed, stopped, or cut off, and come back. For one thread. */
public final class Member {
    private final String address;
    private final Links.Link link;
    private final Supplier<JavaCommand> command;
    private JavaProcess process;

    private Member(String address, Links.Link link, Supplier<JavaCommand> command) throws IOException {
        this.address = address;
        this.link = link;
        this.command = command;
        this.process = command.get().runBy(link.runner()).start();
    }

    /** Starts one; {@code command} gives the command without its place in the network, anew for each start. */
    static Member start(int port, Links.Link link, Supplier<JavaCommand> command) throws IOException {
        return new Member(link.address() + ":" + port, link, command);
    }

    /** Writes a configuration into a folder, which is made. */
    static Path configuration(Path folder, Map<String, String> settings) throws IOException {
        StringBuilder lines = new StringBuilder();
        new TreeMap<>(settings)
                .forEach((key, value) ->
                        lines.append(key).append('=').append(value).append('\n'));
        return Files.writeString(Files.createDirectories(folder).resolve("broker.conf"), lines.toString());
    }

    /** Where clients reach it, {@code host:port}. */
    public String address() {
        return address;
    }

    JavaProcess process() {
        return process;
    }

    /** SIGKILL; returns when it is gone. */
    public void kill() {
        process.kill();
    }

    /** SIGTERM; returns when it has ended. */
    public void stop() {
        process.stop();
    }

    /** Starts it again on what it stored; does not wait until it is ready. */
    public void restart() throws IOException {
        process = command.get().runBy(link.runner()).start();
    }

    /** SIGSTOP. */
    public void suspend() throws IOException {
        process.suspend();
    }

    /** SIGCONT. */
    public void resume() throws IOException {
        process.resume();
    }

    /** Whether {@link #cut} is possible. */
    public boolean canBeCut() {
        return link.canBeCut();
    }

    /** Drops all that goes to it and comes from it. */
    public void cut() {
        link.cut();
    }

    /** Takes {@link #cut} back. */
    public void mend() {
        link.mend();
    }

    @Override
    public String toString() {
        return process + " at " + address;
    }
}
