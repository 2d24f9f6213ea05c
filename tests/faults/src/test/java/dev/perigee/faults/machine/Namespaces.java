package dev.perigee.faults.machine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Network namespaces of the kernel, each with one virtual cable to a bridge, which has the host's address. Needs root. */
final class Namespaces implements Network {
    private static final String NETWORKS = "10.213.";
    private static final int MOST_NETWORKS = 250;
    private static final int FIRST_NODE = 11;

    private static final Optional<String> WHY_NOT = tryOne();

    private final RigName rig;
    private final String bridge;
    private final String prefix;
    private final List<VethCable> cables = new ArrayList<>();

    private Namespaces(RigName rig, String prefix) {
        this.rig = rig;
        this.bridge = rig.of("br");
        this.prefix = prefix;
    }

    /** Why this machine does not allow them; empty when it does. */
    static Optional<String> whyNot() {
        return WHY_NOT;
    }

    private static Optional<String> tryOne() {
        String probe = RigName.next().of("p");
        try {
            Command.run("ip", "netns", "add", probe);
            try {
                List<String> inside = VethCable.runner(probe);
                Command.run(VethCable.inside(inside, "nft", "list", "ruleset"));
                Command.run(VethCable.inside(inside, "tc", "qdisc", "show"));
                return Optional.empty();
            } finally {
                Command.attempt("ip", "netns", "del", probe);
            }
        } catch (IOException e) {
            return Optional.of("no network namespaces here: " + e.getMessage());
        }
    }

    static Namespaces open(RigName rig) throws IOException {
        Namespaces network = new Namespaces(rig, freePrefix());
        try {
            network.addBridge();
            return network;
        } catch (IOException e) {
            network.close();
            throw e;
        }
    }

    private void addBridge() throws IOException {
        Command.run("ip", "link", "add", bridge, "type", "bridge");
        Command.run("ip", "addr", "add", hostAddress() + "/24", "dev", bridge);
        Command.run("ip", "link", "set", bridge, "up");
    }

    private static String freePrefix() throws IOException {
        String taken = Command.output("ip", "-o", "-4", "addr", "show");
        int first = Math.floorMod(ProcessHandle.current().pid(), MOST_NETWORKS);
        for (int i = 0; i < MOST_NETWORKS; i++) {
            String candidate = NETWORKS + (1 + (first + i) % MOST_NETWORKS) + ".";
            if (!taken.contains(" " + candidate)) {
                return candidate;
            }
        }
        throw new IOException("all networks " + NETWORKS + "* are taken");
    }

    @Override
    public String description() {
        return "network namespaces";
    }

    @Override
    public String hostAddress() {
        return prefix + "1";
    }

    /** The ports do not matter: a namespace has all of them. */
    @Override
    public Cable attach(int... ports) throws IOException {
        int index = cables.size();
        String name = rig.of(String.valueOf((char) ('a' + index)));
        VethCable cable = new VethCable(name, prefix + (FIRST_NODE + index));
        cables.add(cable);
        cable.lay(bridge);
        return cable;
    }

    @Override
    public void close() {
        cables.forEach(VethCable::remove);
        cables.clear();
        Command.attempt("ip", "link", "del", bridge);
    }
}
