package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.FreePorts;
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
import dev.perigee.store.log.LogReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group over real sockets, files and threads: it elects, acknowledges, and goes on without its leader. */
@Tag("full")
final class GroupOverSocketsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String TOPIC = "orders";

    @TempDir
    private Path folder;

    private final List<Node> nodes = new ArrayList<>();

    /** One member. */
    private static final class Node {
        final GroupConfig config;
        final Group group;
        final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();
        private final EventLoops loops;
        private final Store store;
        private final RemotingServer server;
        private final Appender appender;

        Node(GroupConfig config, int port, Path root) throws Exception {
            this.config = config;
            Clock clock = Clock.system();
            SecureRandom random = new SecureRandom();
            FileDisk disk = new FileDisk(root);
            loops = EventLoops.start(config.selfId(), 1);
            group = new Group(
                    config, new Group.Seams(disk, loops, ClientConfig.DEFAULT, clock, random), FlushMode.SYNC);
            store = Store.open(
                    StoreConfig.defaults().withSegmentSizeBytes(1 << 20).withMinFreeBytes(0, 0),
                    new StoreSeams(disk, clock, random, 1, faults::add),
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

        /** What becomes of a message. */
        CompletableFuture<AppendResult> send(String text) {
            CompletableFuture<AppendResult> done = new CompletableFuture<>();
            FrameDraft draft = new FrameDraft()
                    .topic(TOPIC.getBytes(StandardCharsets.UTF_8))
                    .queueId(0)
                    .bornTimestampMs(1)
                    .body(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            ByteBuffer space = Objects.requireNonNull(appender.reserve(draft.sizeBytes()));
            draft.writeTo(space);
            appender.submit(new AppendRequest(TOPIC, 0, 1, true, (request, result) -> done.complete(result)));
            return done;
        }

        long framesConfirmed() throws IOException {
            LogReader reader = new LogReader(store.log(), store.log().startOffset());
            long frames = 0;
            while (reader.next()) {
                frames++;
            }
            return frames;
        }

        void close() throws IOException {
            group.close();
            server.close();
            store.close();
            loops.close();
        }
    }

    @AfterEach
    void closeAll() throws IOException {
        for (Node node : nodes) {
            node.close();
        }
    }

    private void open(int size) throws Exception {
        List<GroupConfig.Peer> peers = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            ports.add(FreePorts.one());
            peers.add(new GroupConfig.Peer("n" + i, "127.0.0.1:" + ports.get(i)));
        }
        for (int i = 0; i < size; i++) {
            GroupConfig config = new GroupConfig("cluster", "broker-a", "broker-a", "n" + i, peers, 3_000, 300, 0);
            nodes.add(new Node(config, ports.get(i), folder.resolve("n" + i)));
        }
    }

    private Node leader() {
        await().atMost(PATIENCE).until(() -> nodes.stream().anyMatch(Node::serves));
        return nodes.stream().filter(Node::serves).findFirst().orElseThrow();
    }

    /** Sends to whoever leads until one is acknowledged. */
    private void acknowledged(String text) {
        await().atMost(PATIENCE).until(() -> leader().send(text).get(1, TimeUnit.MINUTES) == AppendResult.APPENDED);
    }

    @Test
    void goesOnWithoutItsLeaderAndWithAllThatWasAcknowledged() throws Exception {
        open(3);
        for (int i = 0; i < 20; i++) {
            acknowledged("message " + i);
        }
        Node first = leader();

        nodes.remove(first);
        first.close();
        long goneNs = System.nanoTime();
        acknowledged("after it");

        System.out.println("acknowledged by the next leader after "
                + Duration.ofNanos(System.nanoTime() - goneNs).toMillis() + " ms, election timeout "
                + first.config.electionTimeoutMs() + " ms");
        assertThat(leader().framesConfirmed()).isGreaterThan(20);
        await().atMost(PATIENCE).until(() -> {
            long end = leader().store.log().endOffset();
            return nodes.stream().allMatch(node -> node.store.log().confirmOffset() == end);
        });
        assertThat(nodes).allSatisfy(node -> assertThat(node.faults).isEmpty());
    }
}
