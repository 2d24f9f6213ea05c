package dev.perigee.bench.consensus.perigee;

import dev.perigee.bench.consensus.Committer;
import dev.perigee.bench.consensus.FreePorts;
import dev.perigee.bench.consensus.Measure;
import dev.perigee.group.Group;
import dev.perigee.group.GroupConfig;
import dev.perigee.group.GroupStanding;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.store.Store;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.StoreSeams;
import dev.perigee.store.append.AppendRequest;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.Appender;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.disk.FileDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Three stores of a group, asynchronous flush, with the views that every store has. */
public final class PerigeeMain implements Committer {
    private static final String TOPIC = "bench";
    private static final byte[] TOPIC_BYTES = TOPIC.getBytes(StandardCharsets.UTF_8);

    private final List<Node> nodes = new ArrayList<>();
    private final Node leader;

    private static final class Node {
        private final EventLoops loops;
        private final Group group;
        private final Store store;
        private final RemotingServer server;
        private final Appender appender;

        Node(GroupConfig config, int port, Path folder) throws Exception {
            Clock clock = Clock.system();
            SecureRandom random = new SecureRandom();
            FileDisk disk = new FileDisk(folder);
            loops = EventLoops.start(config.selfId(), 1);
            group = new Group(
                    config, new Group.Seams(disk, loops, ClientConfig.DEFAULT, clock, random), FlushMode.ASYNC);
            store = Store.open(
                    StoreConfig.defaults().withFlushMode(FlushMode.ASYNC),
                    new StoreSeams(disk, clock, random, 1, failure -> {
                        throw new IllegalStateException(failure);
                    }),
                    group.replication(),
                    new Store.Views(List.of(), facts -> List.of(group.duty())));
            server = new RemotingServer(ServerConfig.of("127.0.0.1", port), group.begin(store), loops, clock);
            server.start();
            store.start();
            group.start();
            appender = store.newAppender();
        }

        boolean serves() {
            GroupStanding now = group.standing();
            return now.leads() && now.admits() && now.established();
        }

        void close() throws IOException {
            group.close();
            server.close();
            store.close();
            loops.close();
        }
    }

    private PerigeeMain(Path folder, int firstPort) throws Exception {
        List<GroupConfig.Peer> peers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            peers.add(new GroupConfig.Peer("n" + i, "127.0.0.1:" + (firstPort + i)));
        }
        for (int i = 0; i < 3; i++) {
            GroupConfig config = GroupConfig.of("cluster", "bench", "n" + i, peers);
            nodes.add(new Node(config, firstPort + i, folder.resolve("n" + i)));
        }
        Optional<Node> serving = Optional.empty();
        while (serving.isEmpty()) {
            Thread.sleep(100);
            serving = nodes.stream().filter(Node::serves).findFirst();
        }
        leader = serving.get();
    }

    @Override
    public void commit(byte[] entry, Done done) throws Exception {
        FrameDraft draft = new FrameDraft()
                .topic(TOPIC_BYTES)
                .queueId(0)
                .bornTimestampMs(1)
                .body(ByteBuffer.wrap(entry));
        ByteBuffer space = leader.appender.reserve(draft.sizeBytes());
        if (space == null) {
            throw new IllegalStateException("the log takes nothing: " + leader.appender.refusal());
        }
        draft.writeTo(space);
        leader.appender.submit(new AppendRequest(
                TOPIC, 0, 1, true, (request, result) -> done.committed(result == AppendResult.APPENDED)));
    }

    @Override
    public void close() {
        for (Node node : nodes) {
            try {
                node.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Arguments: a folder to write to, warm-up and window in milliseconds. */
    public static void main(String[] args) throws Exception {
        try (PerigeeMain group = new PerigeeMain(Path.of(args[0]), FreePorts.three())) {
            Measure.print("perigee", group, args);
        }
        System.exit(0);
    }
}
