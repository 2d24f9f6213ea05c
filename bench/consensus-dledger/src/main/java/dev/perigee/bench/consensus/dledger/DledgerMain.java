package dev.perigee.bench.consensus.dledger;

import dev.perigee.bench.consensus.Committer;
import dev.perigee.bench.consensus.FreePorts;
import dev.perigee.bench.consensus.Measure;
import io.openmessaging.storage.dledger.DLedgerConfig;
import io.openmessaging.storage.dledger.DLedgerServer;
import io.openmessaging.storage.dledger.protocol.AppendEntryRequest;
import io.openmessaging.storage.dledger.protocol.AppendEntryResponse;
import io.openmessaging.storage.dledger.protocol.DLedgerResponseCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Three DLedger nodes with their usual settings: files, flushed in the background. */
public final class DledgerMain implements Committer {
    private static final String GROUP = "bench";

    private final List<DLedgerServer> servers = new ArrayList<>();
    private DLedgerServer leader;

    private DledgerMain(Path folder, int firstPort) throws Exception {
        StringBuilder peers = new StringBuilder();
        for (int i = 0; i < 3; i++) {
            peers.append(i == 0 ? "" : ";").append('n').append(i).append("-127.0.0.1:").append(firstPort + i);
        }
        for (int i = 0; i < 3; i++) {
            DLedgerConfig config = new DLedgerConfig();
            config.setGroup(GROUP);
            config.setSelfId("n" + i);
            config.setPeers(peers.toString());
            config.setStoreBaseDir(folder.resolve("n" + i).toString());
            DLedgerServer server = new DLedgerServer(config);
            server.startup();
            servers.add(server);
        }
        while (leader == null) {
            Thread.sleep(100);
            leader = servers.stream()
                    .filter(server -> server.getMemberState().isLeader())
                    .findFirst()
                    .orElse(null);
        }
    }

    @Override
    public void commit(byte[] entry, Done done) throws Exception {
        AppendEntryRequest request = new AppendEntryRequest();
        request.setGroup(GROUP);
        request.setRemoteId(leader.getMemberState().getSelfId());
        request.setBody(entry);
        CompletableFuture<AppendEntryResponse> answer = leader.handleAppend(request);
        answer.whenComplete((response, failure) ->
                done.committed(failure == null && response.getCode() == DLedgerResponseCode.SUCCESS.getCode()));
    }

    @Override
    public void close() {
        servers.forEach(DLedgerServer::shutdown);
    }

    /** Arguments: a folder to write to, warm-up and window in milliseconds. */
    public static void main(String[] args) throws Exception {
        try (DledgerMain nodes = new DledgerMain(Path.of(args[0]), FreePorts.three())) {
            Measure.print("dledger", nodes, args);
        }
        System.exit(0);
    }
}
