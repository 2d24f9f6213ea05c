package dev.perigee.bench.runner;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.bench.runner.figure.MarkdownRows;
import dev.perigee.bench.runner.figure.ResultLog;
import dev.perigee.bench.runner.figure.Samples;
import dev.perigee.bench.runner.server.Member;
import dev.perigee.bench.runner.server.ServerKind;
import dev.perigee.harness.RemotingProbe;
import dev.perigee.harness.campaign.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What clients notice when another member is ordered to lead, and when all are stopped in order and started again, one after the other, the
 * leader last: the longest time without an acknowledgement, and how many sends failed, for each of three clients that send at the same time.
 */
final class TransferRow {
    static final String NAME = "group-transfer";

    private static final int EVERY_MS = 4;
    private static final int TRANSFERS = 5;
    private static final long AFTERWARDS_MS = 3_000;
    private static final int RAFT_ORDER = 20_018;

    private final Settings settings;
    private final ResultLog log;
    private final Map<String, List<Double>> figures = new LinkedHashMap<>();

    TransferRow(Settings settings, ResultLog log) {
        this.settings = settings;
        this.log = log;
    }

    /** Runs all and prints the rows. Blocks. */
    void run() throws IOException, InterruptedException {
        for (int i = 0; i < settings.runs(); i++) {
            Path folder = Files.createDirectories(settings.work().resolve(NAME + "-" + i));
            try (ProbedGroup group =
                    new ProbedGroup(settings, folder, ServerKind.PERIGEE_GROUP, Scenario.ASYNC, EVERY_MS)) {
                TimeUnit.MILLISECONDS.sleep(settings.warmupMs());
                for (int j = 0; j < TRANSFERS; j++) {
                    transfer(group, i);
                }
                restartAll(group, i);
            } finally {
                Folders.delete(folder);
            }
        }
        print();
    }

    private void transfer(ProbedGroup group, int run) throws IOException, InterruptedException {
        group.awaitWhole();
        Member former = group.leader();
        long orderedMs = System.currentTimeMillis();
        RemotingProbe.Answer answer =
                RemotingProbe.ask(former.address(), RAFT_ORDER, JSONObject.of("order", "transfer"));
        if (answer.code() != 0) {
            throw new IllegalStateException("the order is refused: " + answer.remark());
        }
        TimeUnit.MILLISECONDS.sleep(AFTERWARDS_MS);
        note(group, run, "transfer", orderedMs);
        if (group.leader() == former) {
            System.out.println(NAME + " run " + run + ": the former leader leads again or still");
        }
    }

    private void restartAll(ProbedGroup group, int run) throws IOException, InterruptedException {
        group.awaitWhole();
        long beganMs = System.currentTimeMillis();
        Member leader = group.leader();
        List<Member> order = new ArrayList<>(group.members());
        order.remove(leader);
        order.add(leader);
        for (Member member : order) {
            member.stop();
            member.restart();
            group.awaitWhole();
        }
        note(group, run, "rolling restart", beganMs);
    }

    private void note(ProbedGroup group, int run, String what, long beganMs) throws IOException {
        long nowMs = System.currentTimeMillis();
        for (ProbeClient client : group.clients()) {
            Probes probes = client.probes();
            String name = client.kind().name();
            double silenceMs = probes.longestSilenceMs(beganMs, nowMs);
            double failed = probes.failed(beganMs, nowMs);
            add(what + ", longest silence, " + name + ", ms", silenceMs);
            add(what + ", failed sends, " + name, failed);
            System.out.println(NAME + " run " + run + ", " + what + ", " + name + ": silent for " + silenceMs + " ms, "
                    + failed + " failed " + probes.firstFailure(beganMs, nowMs));
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("row", NAME);
            fields.put("run", run);
            fields.put("server", ServerKind.PERIGEE_GROUP.name());
            fields.put("serverSettings", ServerKind.PERIGEE_GROUP.settings());
            fields.put("client", name);
            fields.put("what", what);
            fields.put("silenceMs", silenceMs);
            fields.put("failed", failed);
            log.append(fields);
        }
    }

    private void add(String figure, double value) {
        figures.computeIfAbsent(figure, first -> new ArrayList<>()).add(value);
    }

    private void print() {
        MarkdownRows rows = new MarkdownRows(NAME, "Perigee group", "peer");
        figures.forEach((figure, values) -> rows.add(
                figure,
                new Samples(values.stream().mapToDouble(Double::doubleValue).toArray()),
                new Samples()));
        System.out.println();
        System.out.println(rows);
        System.out.println();
    }
}
