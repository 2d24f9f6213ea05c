package dev.perigee.faults.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.machine.Cable;
import dev.perigee.faults.machine.Network;
import dev.perigee.faults.machine.NodeClock;
import dev.perigee.faults.machine.RigName;
import dev.perigee.faults.machine.Volume;
import dev.perigee.harness.FreePorts;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.RemotingProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** A NameServer at the host and the nodes of one contestant on a network. For one thread. */
public final class Cluster implements AutoCloseable {
    /** The topic of the load. */
    public static final String TOPIC = "faults";

    /** How many queues that has. */
    public static final int QUEUES = 4;

    /** The group that reads it. */
    public static final String GROUP = "faults_reader";

    /** The name all its brokers share. */
    static final String BROKER = "rig";

    private static final Duration READY = Duration.ofMinutes(3);
    private static final long VOLUME_BYTES = 3L << 30;
    private static final String SEGMENT_BYTES = Integer.toString(16 << 20);

    private final Contestant contestant;
    private final Network network;
    private final Map<String, String> settings;
    private final String namesrvAddress;
    private final JavaProcess namesrv;
    private final List<Node> nodes = new ArrayList<>();
    /** In the order of the nodes; none of what is no group. */
    private final List<Member> members = new ArrayList<>();

    private Cluster(
            Contestant contestant,
            Network network,
            Map<String, String> settings,
            String namesrvAddress,
            JavaProcess namesrv) {
        this.contestant = contestant;
        this.network = network;
        this.settings = settings;
        this.namesrvAddress = namesrvAddress;
        this.namesrv = namesrv;
    }

    /** Starts it; {@code settings} are those of every node beyond what it needs. Returns when all of it runs. Blocks. */
    public static Cluster start(
            Contestant contestant, Network network, RigName rig, Path folder, Map<String, String> settings)
            throws IOException {
        int port = FreePorts.one();
        Cluster cluster = new Cluster(
                contestant,
                network,
                settings,
                network.hostAddress() + ":" + port,
                startNamesrv(contestant, network.hostAddress(), port, folder.resolve("namesrv")));
        try {
            cluster.await("the NameServer", () -> RemotingProbe.accepts(cluster.namesrvAddress));
            cluster.addAll(rig, folder);
            cluster.launchAll();
            return cluster;
        } catch (IOException | RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    private static JavaProcess startNamesrv(Contestant contestant, String address, int port, Path home)
            throws IOException {
        Files.createDirectories(home);
        Map<String, String> settings = Map.of(
                "listenPort", Integer.toString(port),
                "bindAddress", address,
                "kvConfigPath", home.resolve("kv.json").toString(),
                "configStorePath", home.resolve("namesrv.properties").toString());
        return contestant.make().namesrv().command("namesrv", home, settings).start();
    }

    /** All cables come first: members of a group know one another by address. */
    private void addAll(RigName rig, Path folder) throws IOException {
        List<Cable> cables = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < contestant.roles().size(); i++) {
            int port = FreePorts.forBroker();
            ports.add(port);
            cables.add(network.attach(port - 2, port, port + 1));
            if (contestant.isGroup()) {
                String host = cables.get(i).address() + ":";
                members.add(new Member("n" + i, host + port, host + (port + 1)));
            }
        }
        for (int i = 0; i < cables.size(); i++) {
            add(rig, folder, ports.get(i), cables.get(i));
        }
    }

    private Map<String, String> ofMember(int index) {
        String peers = members.stream()
                .map(member -> member.id() + "-" + member.groupAddress())
                .collect(Collectors.joining(";"));
        return contestant.make().ofMember(members.get(index).id(), peers);
    }

    private void add(RigName rig, Path folder, int port, Cable cable) throws IOException {
        String letter = String.valueOf((char) ('a' + nodes.size()));
        Path home = Files.createDirectories(folder.resolve("node-" + letter));
        Volume volume = Volume.create(rig, folder, letter, VOLUME_BYTES);
        Map<String, String> all = new TreeMap<>(Map.of(
                "brokerClusterName",
                "FaultRig",
                "brokerName",
                BROKER,
                "brokerIP1",
                cable.address(),
                "brokerIP2",
                cable.address(),
                "bindAddress",
                cable.listenAddress(),
                "listenPort",
                Integer.toString(port),
                "haListenPort",
                Integer.toString(port + 1),
                "namesrvAddr",
                namesrvAddress,
                "mappedFileSizeCommitLog",
                SEGMENT_BYTES));
        all.put("registerNameServerPeriod", "10000");
        all.putAll(settings);
        all.putAll(contestant.make().storeAt(Node.storeOn(volume)));
        if (contestant.isPair()) {
            all.putAll(contestant.make().ofPairs());
        }
        if (contestant.isGroup()) {
            all.putAll(ofMember(nodes.size()));
        }
        Map<String, String> role = contestant.roles().get(nodes.size());
        nodes.add(new Node(home, contestant.make().broker(), all, role, port, cable, volume));
    }

    private void launchAll() throws IOException {
        for (Node node : nodes) {
            node.launch();
            if (!contestant.isGroup()) {
                await(node + " is ready", node::isReachable);
            }
        }
        for (Node node : nodes) {
            await(node + " is ready", node::isReachable);
        }
        await("the NameServer knows a broker", () -> RemotingProbe.knowsBroker(namesrvAddress, BROKER));
    }

    private void await(String what, Callable<Boolean> ready) {
        Awaitility.await(what + " of " + contestant)
                .atMost(READY)
                .pollInterval(Duration.ofMillis(50))
                .failFast(() -> assertThat(namesrv.isAlive())
                        .as(() -> namesrv.stdout() + namesrv.stderr())
                        .isTrue())
                .until(ready);
    }

    /** Where clients find it. */
    public String namesrv() {
        return namesrvAddress;
    }

    /** Its nodes, of which the first is the master at the begin. */
    public List<Node> nodes() {
        return nodes;
    }

    /** Looks at its members from now on, which a cluster that is no group has none of. */
    public GroupWatch watch() {
        return GroupWatch.start(contestant.make(), members);
    }

    /** Waits until every node knows the topic of the load: a stock member asks its leader for topics now and then only. */
    public void awaitTopic() {
        for (Node node : nodes) {
            await(node + " knows the topic", node::knowsTopic);
        }
    }

    /** Starts again what has ended by itself; says whether every node takes connections. Blocks for seconds if one does not. */
    public boolean isUp() throws IOException {
        for (Node node : nodes) {
            node.supervise();
        }
        return nodes.stream().allMatch(Node::isReachable);
    }

    /** Kills all nodes and starts them again: the last resort of an operator. Blocks. */
    public void startAgain() throws IOException {
        for (Node node : nodes) {
            node.kill();
        }
        launchAll();
    }

    /** How often nodes ended though nobody had asked them to. */
    public int deaths() {
        return nodes.stream().mapToInt(Node::deaths).sum();
    }

    /** How often a former master had to begin anew as a slave, on an empty folder. */
    public int foldersPutAside() {
        return nodes.stream().mapToInt(Node::foldersPutAside).sum();
    }

    /** What it runs on, in a phrase for the report. */
    public String description() {
        return network.description() + "; "
                + (nodes.isEmpty() ? "no disk" : nodes.get(0).volume().description()) + "; " + NodeClock.description();
    }

    @Override
    public void close() throws IOException {
        for (Node node : nodes) {
            node.close();
        }
        namesrv.stop();
    }
}
