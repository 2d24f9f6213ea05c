package dev.perigee.bench.runner.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where the members of a group live: all on loopback, or each in a network namespace of its own behind a link that can be cut. NameServer and
 * clients live at the host. For one thread, and the end of this program.
 */
final class Links implements AutoCloseable {
    private static final String NETWORK = "10.214.";
    private static final int NETWORKS = 250;
    private static final int FIRST_MEMBER = 11;
    /** The name of a link inside its namespace. */
    private static final String INSIDE = "eth0";

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final String host;
    private final String bridge;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final List<Link> links = new CopyOnWriteArrayList<>();

    private Links(String host, String bridge) {
        this.host = host;
        this.bridge = bridge;
    }

    /** All at 127.0.0.1, and nothing can be cut. */
    static Links loopback(int members) {
        Links links = new Links("127.0.0.1", "");
        for (int i = 0; i < members; i++) {
            links.links.add(new Link(links.host, ""));
        }
        return links;
    }

    /** Each behind a link where this machine allows that, which takes root and the command {@code ip}; otherwise on loopback. */
    static Links apart(int members) {
        try {
            return namespaces(members);
        } catch (IOException e) {
            System.out.println("no links that can be cut: " + e.getMessage());
            return loopback(members);
        }
    }

    private static Links namespaces(int members) throws IOException {
        long own = ProcessHandle.current().pid();
        String prefix = NETWORK + (1 + own % NETWORKS) + ".";
        Links links = new Links(prefix + "1", "pgb" + own + "n" + NUMBER.incrementAndGet());
        Runtime.getRuntime().addShutdownHook(new Thread(links::close, "removes-links"));
        try {
            run("ip", "link", "add", links.bridge, "type", "bridge");
            run("ip", "addr", "add", links.host + "/24", "dev", links.bridge);
            run("ip", "link", "set", links.bridge, "up");
            for (int i = 0; i < members; i++) {
                Link link = new Link(prefix + (FIRST_MEMBER + i), links.bridge + (char) ('a' + i));
                links.links.add(link);
                link.lay(links.bridge);
            }
            return links;
        } catch (IOException e) {
            links.close();
            throw e;
        }
    }

    /** The address of NameServer and clients. */
    String host() {
        return host;
    }

    /** Of the member with this number, from 0 on. */
    Link get(int member) {
        return links.get(member);
    }

    /** Takes all away, with or without processes there. What was begun is also taken away when this program ends. */
    @Override
    public void close() {
        if (!bridge.isEmpty() && !closed.getAndSet(true)) {
            links.forEach(Link::remove);
            attempt("ip", "link", "del", bridge);
        }
    }

    /**
     * One member's.
     *
     * @param address where it is reached
     * @param name of the link, and of the namespace; empty on loopback
     */
    record Link(String address, String name) {
        private void lay(String bridge) throws IOException {
            run("ip", "netns", "add", name);
            run("ip", "link", "add", name, "type", "veth", "peer", "name", INSIDE, "netns", name);
            run("ip", "link", "set", name, "master", bridge, "up");
            run("ip", "-n", name, "addr", "add", address + "/24", "dev", INSIDE);
            run("ip", "-n", name, "link", "set", INSIDE, "up");
            run("ip", "-n", name, "link", "set", "lo", "up");
        }

        private void remove() {
            attempt("ip", "link", "del", name);
            attempt("ip", "netns", "del", name);
        }

        boolean canBeCut() {
            return !name.isEmpty();
        }

        /** What has to stand in front of a command that is to run there. */
        List<String> runner() {
            return canBeCut() ? List.of("nsenter", "--net=/run/netns/" + name) : List.of();
        }

        /** Drops what goes either way, and nobody is told. */
        void cut() {
            set("down");
        }

        void mend() {
            set("up");
        }

        private void set(String state) {
            try {
                run("ip", "link", "set", name, state);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void attempt(String... command) {
        try {
            run(command);
        } catch (IOException notThere) {
            System.err.println(notThere.getMessage());
        }
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException(Arrays.toString(command) + ": " + output.strip());
        }
    }
}
