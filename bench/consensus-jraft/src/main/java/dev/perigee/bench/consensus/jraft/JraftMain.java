package dev.perigee.bench.consensus.jraft;

import dev.perigee.bench.consensus.Committer;
import dev.perigee.bench.consensus.FreePorts;
import dev.perigee.bench.consensus.Measure;
import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.RaftGroupService;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.DefaultJRaftServiceFactory;
import com.alipay.sofa.jraft.core.StateMachineAdapter;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.Task;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import com.alipay.sofa.jraft.storage.log.RocksDBSegmentLogStorage;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Three jraft nodes: entries in mapped segments, not forced one by one; the state machine does nothing. */
public final class JraftMain implements Committer {
    private static final String GROUP = "bench";

    private final List<RaftGroupService> services = new ArrayList<>();
    private Node leader;

    private static final class NothingToDo extends StateMachineAdapter {
        @Override
        public void onApply(Iterator entries) {
            while (entries.hasNext()) {
                if (entries.done() != null) {
                    entries.done().run(Status.OK());
                }
                entries.next();
            }
        }
    }

    private static final class MappedSegments extends DefaultJRaftServiceFactory {
        @Override
        public LogStorage createLogStorage(String uri, RaftOptions options) {
            return new RocksDBSegmentLogStorage(uri, options);
        }
    }

    private JraftMain(Path folder, int firstPort) throws Exception {
        Configuration peers = new Configuration();
        for (int i = 0; i < 3; i++) {
            peers.addPeer(new PeerId("127.0.0.1", firstPort + i));
        }
        for (PeerId peer : peers.listPeers()) {
            Path own = Files.createDirectories(folder.resolve("n" + peer.getPort()));
            NodeOptions options = new NodeOptions();
            options.setInitialConf(peers.copy());
            options.setFsm(new NothingToDo());
            options.setLogUri(own.resolve("log").toString());
            options.setRaftMetaUri(own.resolve("meta").toString());
            options.setServiceFactory(new MappedSegments());
            RaftOptions raft = new RaftOptions();
            raft.setSync(false);
            options.setRaftOptions(raft);
            RaftGroupService service = new RaftGroupService(GROUP, peer, options);
            service.start();
            services.add(service);
        }
        while (leader == null) {
            Thread.sleep(100);
            leader = services.stream()
                    .map(RaftGroupService::getRaftNode)
                    .filter(Node::isLeader)
                    .findFirst()
                    .orElse(null);
        }
    }

    @Override
    public void commit(byte[] entry, Done done) {
        Closure closure = status -> done.committed(status.isOk());
        leader.apply(new Task(ByteBuffer.wrap(entry), closure));
    }

    @Override
    public void close() {
        services.forEach(RaftGroupService::shutdown);
    }

    /** Arguments: a folder to write to, warm-up and window in milliseconds. */
    public static void main(String[] args) throws Exception {
        try (JraftMain nodes = new JraftMain(Path.of(args[0]), FreePorts.three())) {
            Measure.print("jraft", nodes, args);
        }
        System.exit(0);
    }
}
