package dev.perigee.harness;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The versions that decide what a stock peer says on the wire, read from its class path. */
public record VersionReport(StockPeer peer, String netty, String fastjson, String client) {
    private static final String NONE = "-";

    /** Reads a peer's class path. */
    public static VersionReport of(StockPeer peer) {
        return new VersionReport(peer, netty(peer), version(peer, "fastjson"), version(peer, "rocketmq-client"));
    }

    /** All RocketMQ peers. */
    public static List<VersionReport> all() {
        return Stream.of(
                        StockPeer.CLIENT5,
                        StockPeer.CLIENT4,
                        StockPeer.TOOLS5,
                        StockPeer.TOOLS4,
                        StockPeer.SERVER5,
                        StockPeer.SPRING)
                .map(VersionReport::of)
                .toList();
    }

    /** One line per peer. */
    public static String text() {
        return all().stream().map(VersionReport::toString).collect(Collectors.joining("\n"));
    }

    /** 4.1.65 brings one jar with everything in it, later ones an empty jar and many parts. */
    private static String netty(StockPeer peer) {
        return peer.versionOf("netty-transport").orElseGet(() -> version(peer, "netty-all"));
    }

    private static String version(StockPeer peer, String artifact) {
        return peer.versionOf(artifact).orElse(NONE);
    }
}
