package dev.perigee.faults.cluster;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.RemotingProbe;
import dev.perigee.harness.StockPeer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Whose broker and NameServer it is. */
enum Make {
    PERIGEE {
        @Override
        ServerProgram namesrv() {
            return ours("namesrv", Map.of());
        }

        @Override
        ServerProgram broker() {
            // So little that writes are still taken on a small disk, and so much that they are refused before it is
            // full.
            return ours("broker", Map.of("minFreeDiskBytes", "67108864", "minFreeDiskPercent", "1"));
        }

        private ServerProgram ours(String command, Map<String, String> settings) {
            return new ServerProgram(
                    "dev.perigee.dist.Main", System.getProperty("java.class.path"), List.of(command), settings);
        }

        @Override
        Map<String, String> storeAt(Path folder) {
            return Map.of("storePathRootDir", folder.toString());
        }

        @Override
        Map<String, String> ofPairs() {
            return Map.of();
        }

        @Override
        Map<String, String> ofMember(String id, String peers) {
            return Map.of("raftPeers", peers, "raftSelfId", id);
        }

        @Override
        MemberView view(Member member, RemotingProbe.Line line) throws IOException {
            return MemberView.ofOurs(line.ask(RAFT_STATUS, new JSONObject()));
        }

        @Override
        String asked(Member member) {
            return member.address();
        }
    },
    STOCK {
        @Override
        ServerProgram namesrv() {
            return stock("namesrv.NamesrvStartup", Map.of());
        }

        @Override
        ServerProgram broker() {
            return stock(
                    "broker.BrokerStartup",
                    Map.of(
                            "mappedFileSizeConsumeQueue", "600000",
                            "maxIndexNum", "100000",
                            "maxHashSlotNum", "25000",
                            "diskMaxUsedSpaceRatio", "99"));
        }

        private ServerProgram stock(String mainClass, Map<String, String> settings) {
            return new ServerProgram(
                    "org.apache.rocketmq." + mainClass, StockPeer.SERVER5.classPath(), List.of(), settings);
        }

        @Override
        Map<String, String> storeAt(Path folder) {
            return Map.of(
                    "storePathRootDir",
                    folder.toString(),
                    "storePathCommitLog",
                    folder.resolve("commitlog").toString());
        }

        @Override
        Map<String, String> ofPairs() {
            return Map.of();
        }

        @Override
        Map<String, String> ofMember(String id, String peers) {
            return Map.of(
                    "enableDLegerCommitLog",
                    "true",
                    "dLegerGroup",
                    Cluster.BROKER,
                    "dLegerPeers",
                    peers,
                    "dLegerSelfId",
                    id);
        }

        @Override
        MemberView view(Member member, RemotingProbe.Line line) throws IOException {
            JSONObject question = JSONObject.of("group", Cluster.BROKER, "remoteId", member.id());
            return MemberView.ofStock(
                    member.id(), line.ask(DLEDGER_METADATA, new JSONObject(), question.toJSONString()));
        }

        @Override
        String asked(Member member) {
            return member.groupAddress();
        }
    };

    private static final int RAFT_STATUS = 20017;
    /** At the port of the group; no released broker tells it at its own. */
    private static final int DLEDGER_METADATA = 50000;

    abstract ServerProgram namesrv();

    abstract ServerProgram broker();

    /** The settings that let a broker keep everything in that folder. */
    abstract Map<String, String> storeAt(Path folder);

    /** The settings beyond its role that both brokers of a pair need; a slave learns from the NameServer where its master is. */
    abstract Map<String, String> ofPairs();

    /** The settings that put a broker into a group; the peers are {@code id-host:port}, with semicolons between them. */
    abstract Map<String, String> ofMember(String id, String peers);

    /** What a member says that it is, asked at {@link #asked}. */
    abstract MemberView view(Member member, RemotingProbe.Line line) throws IOException;

    /** Where a member is asked what it is. */
    abstract String asked(Member member);
}
