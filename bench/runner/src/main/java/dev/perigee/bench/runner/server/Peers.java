package dev.perigee.bench.runner.server;

import dev.perigee.harness.FreePorts;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The settings by which brokers become a group, the same for both makes. */
final class Peers {
    private Peers() {}

    /** The value of {@code dLegerPeers}, with ports nobody listens on. */
    static String text(Links links) {
        return IntStream.range(0, Group.SIZE)
                .mapToObj(i -> "n" + i + "-" + links.get(i).address() + ":" + FreePorts.one())
                .collect(Collectors.joining(";"));
    }

    /** What the member with this number needs. */
    static Map<String, String> settings(String peers, int member) {
        return Map.of(
                "brokerClusterName", "BenchCluster",
                "enableDLegerCommitLog", "true",
                "dLegerGroup", "bench",
                "dLegerPeers", peers,
                "dLegerSelfId", "n" + member,
                "waitTimeMillsInSendQueue", "10000");
    }
}
