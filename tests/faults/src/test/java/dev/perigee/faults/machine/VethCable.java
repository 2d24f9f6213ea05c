package dev.perigee.faults.machine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** A pair of virtual Ethernet interfaces: one, called as the namespace, is plugged into the bridge, the other is the namespace's eth0. */
final class VethCable implements Cable {
    private static final String INSIDE = "eth0";
    private static final String TABLE = "perigee_rig";
    private static final int BITS = 8;
    private static final int ALL = 100;
    private static final String BURST_BYTES = "32kb";
    private static final String LONGEST_QUEUE = "400ms";

    private final String name;
    private final String address;
    private final Map<Direction, Integer> losses = new EnumMap<>(Direction.class);
    private List<String> unheard = List.of();
    private List<String> refused = List.of();
    private boolean isLimited;

    VethCable(String name, String address) {
        this.name = name;
        this.address = address;
    }

    void lay(String bridge) throws IOException {
        Command.run("ip", "netns", "add", name);
        Command.run("ip", "link", "add", name, "type", "veth", "peer", "name", INSIDE, "netns", name);
        Command.run("ip", "link", "set", name, "master", bridge, "up");
        Command.run("ip", "-n", name, "addr", "add", address + "/24", "dev", INSIDE);
        Command.run("ip", "-n", name, "link", "set", INSIDE, "up");
        Command.run("ip", "-n", name, "link", "set", "lo", "up");
    }

    /** The cable goes first: a namespace lives on while a process is in it. */
    void remove() {
        Command.attempt("ip", "link", "del", name);
        Command.attempt("ip", "netns", "del", name);
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public String listenAddress() {
        return address;
    }

    @Override
    public List<String> runner() {
        return runner(name);
    }

    static List<String> runner(String namespace) {
        return List.of("nsenter", "--net=/run/netns/" + namespace);
    }

    static List<String> inside(List<String> runner, String... words) {
        List<String> all = new ArrayList<>(runner);
        all.addAll(List.of(words));
        return all;
    }

    @Override
    public void unplug() throws IOException {
        Command.run("ip", "link", "set", name, "down");
    }

    @Override
    public void plug() throws IOException {
        Command.run("ip", "link", "set", name, "up");
    }

    @Override
    public void lose(Direction direction, int percent) throws IOException {
        losses.put(direction, percent);
        applyRules();
    }

    @Override
    public void loseNothing() throws IOException {
        losses.clear();
        applyRules();
    }

    @Override
    public boolean knowsWhoSpeaks() {
        return true;
    }

    @Override
    public void hearNothingFrom(Collection<Cable> others) throws IOException {
        unheard = others.stream().map(Cable::address).toList();
        applyRules();
    }

    @Override
    public void resetConnectionsOf(Collection<Cable> others) throws IOException {
        refused = others.stream().map(Cable::address).toList();
        applyRules();
    }

    /** Puts all rules in the place of all there were, in one step. */
    private void applyRules() throws IOException {
        StringBuilder rules = new StringBuilder("table inet %1$s {}\ndelete table inet %1$s\n".formatted(TABLE));
        rules.append("table inet ").append(TABLE).append(" {\n");
        rules.append("chain incoming { type filter hook input priority 0; policy accept;\n");
        unheard.forEach(speaker -> rules.append("ip saddr ").append(speaker).append(" drop\n"));
        refused.forEach(speaker ->
                rules.append("ip saddr ").append(speaker).append(" meta l4proto tcp reject with tcp reset\n"));
        rules.append(loss(Direction.INCOMING, "iifname")).append("}\n");
        rules.append("chain outgoing { type filter hook output priority 0; policy accept;\n");
        rules.append(loss(Direction.OUTGOING, "oifname")).append("}\n}\n");
        Command.run(inside(runner(), "nft", "-f", "-"), rules.toString());
    }

    private String loss(Direction direction, String side) {
        int percent = losses.getOrDefault(direction, 0);
        if (percent == 0) {
            return "";
        }
        String share = percent < ALL ? "numgen random mod " + ALL + " < " + percent : "";
        return "%s \"%s\" %s drop\n".formatted(side, INSIDE, share);
    }

    @Override
    public void limit(long bytesPerSecond) throws IOException {
        isLimited = true;
        String rate = bytesPerSecond * BITS + "bit";
        Command.run(tbf("replace", name, rate));
        Command.run(inside(runner(), tbf("replace", INSIDE, rate).toArray(String[]::new)));
    }

    private static List<String> tbf(String verb, String link, String rate) {
        return List.of(
                "tc",
                "qdisc",
                verb,
                "dev",
                link,
                "root",
                "tbf",
                "rate",
                rate,
                "burst",
                BURST_BYTES,
                "latency",
                LONGEST_QUEUE);
    }

    @Override
    public void unlimit() throws IOException {
        if (isLimited) {
            isLimited = false;
            Command.run("tc", "qdisc", "del", "dev", name, "root");
            Command.run(inside(runner(), "tc", "qdisc", "del", "dev", INSIDE, "root"));
        }
    }

    @Override
    public String toString() {
        return name + "[" + address + "]";
    }
}
