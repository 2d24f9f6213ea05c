package dev.perigee.bench.runner;

import dev.perigee.bench.runner.figure.MarkdownRows;
import dev.perigee.bench.runner.figure.ResultLog;
import dev.perigee.bench.runner.figure.Samples;
import dev.perigee.bench.runner.server.Member;
import dev.perigee.bench.runner.server.ServerKind;
import dev.perigee.harness.campaign.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * How long sends fail when the leader of a group is gone: from the moment the fault is asked for to the acknowledgement of the first send that
 * began when it was in force, for each of three clients that send to the group at the same time. One fault of each kind on a fresh group, then the other make's turn.
 */
final class FailoverRow {
    static final String NAME = "group-failover";

    private static final List<ServerKind> KINDS = List.of(ServerKind.PERIGEE_GROUP, ServerKind.STOCK_GROUP);
    private static final int EVERY_MS = 10;

    private final Settings settings;
    private final ResultLog log;
    /** Milliseconds by make, fault and client, in that order. */
    private final Map<String, List<Double>> took = new LinkedHashMap<>();

    FailoverRow(Settings settings, ResultLog log) {
        this.settings = settings;
        this.log = log;
    }

    private enum Fault {
        SIGKILL {
            @Override
            void begin(Member leader) {
                leader.kill();
            }

            @Override
            void end(Member former) throws IOException {
                former.restart();
            }
        },
        SIGSTOP {
            @Override
            void begin(Member leader) throws IOException {
                leader.suspend();
            }

            @Override
            void end(Member former) throws IOException {
                former.resume();
            }
        },
        CUT {
            @Override
            void begin(Member leader) {
                leader.cut();
            }

            @Override
            void end(Member former) {
                former.mend();
            }
        };

        abstract void begin(Member leader) throws IOException;

        abstract void end(Member former) throws IOException;
    }

    /** Runs all and prints the rows. Blocks. */
    void run() throws IOException, InterruptedException {
        for (int i = 0; i < settings.runs(); i++) {
            for (ServerKind kind : KINDS) {
                if (settings.kinds().contains(kind)) {
                    Path folder = Files.createDirectories(settings.work().resolve(NAME + "-" + kind + "-" + i));
                    try {
                        once(folder, kind, i);
                    } catch (IllegalStateException e) {
                        System.out.println(NAME + " run " + i + ", " + kind + " ended early: " + e.getMessage());
                    } finally {
                        Folders.delete(folder);
                    }
                }
            }
        }
        print();
    }

    private void once(Path folder, ServerKind kind, int run) throws IOException, InterruptedException {
        try (ProbedGroup group = new ProbedGroup(settings, folder, kind, Scenario.ASYNC, EVERY_MS)) {
            for (Fault fault : Fault.values()) {
                TimeUnit.MILLISECONDS.sleep(settings.warmupMs());
                group.awaitWhole();
                Member leader = group.leader();
                if (fault != Fault.CUT || leader.canBeCut()) {
                    long beganMs = System.currentTimeMillis();
                    fault.begin(leader);
                    // A cut or a signal takes some milliseconds, in which sends are served still.
                    long inForceMs = System.currentTimeMillis();
                    boolean unused = group.awaitAcknowledged(inForceMs); // who was not served by then is said so below
                    note(kind, run, fault, group, beganMs, inForceMs);
                    fault.end(leader);
                }
            }
        }
    }

    private void note(ServerKind kind, int run, Fault fault, ProbedGroup group, long beganMs, long inForceMs)
            throws IOException {
        long nowMs = System.currentTimeMillis();
        for (ProbeClient client : group.clients()) {
            String name = client.kind().name();
            OptionalLong served = client.probes().acknowledged(inForceMs);
            double tookMs = served.isPresent() ? served.getAsLong() - beganMs : Double.NaN;
            long failed = client.probes().failed(beganMs, nowMs);
            took.computeIfAbsent(key(kind, fault, name), first -> new ArrayList<>())
                    .add(tookMs);
            System.out.println(NAME + " run " + run + ", " + kind + ", " + fault + ", " + name + ": "
                    + (served.isPresent() ? Math.round(tookMs) + " ms" : "not served in " + (nowMs - beganMs) + " ms")
                    + ", " + failed + " failed " + client.probes().firstFailure(beganMs, nowMs));
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("row", NAME);
            fields.put("run", run);
            fields.put("server", kind.name());
            fields.put("serverSettings", kind.settings());
            fields.put("client", name);
            fields.put("fault", fault.name());
            fields.put("servedMs", served.isPresent() ? tookMs : null);
            fields.put("failed", failed);
            log.append(fields);
        }
    }

    private static String key(ServerKind kind, Fault fault, String client) {
        return kind + " " + fault + " " + client;
    }

    private void print() {
        MarkdownRows rows = new MarkdownRows(NAME, "Perigee group", "stock group");
        for (Fault fault : Fault.values()) {
            for (ProbeClient.Kind client : ProbeClient.Kind.ALL) {
                rows.add(
                        fault + " to the next send, " + client.name() + ", ms",
                        samples(key(ServerKind.PERIGEE_GROUP, fault, client.name())),
                        samples(key(ServerKind.STOCK_GROUP, fault, client.name())));
            }
        }
        System.out.println();
        System.out.println(rows);
        System.out.println();
    }

    private Samples samples(String key) {
        return new Samples(took.getOrDefault(key, List.of()).stream()
                .mapToDouble(Double::doubleValue)
                .filter(value -> !Double.isNaN(value))
                .toArray());
    }
}
