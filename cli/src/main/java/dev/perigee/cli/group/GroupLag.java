package dev.perigee.cli.group;

import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.output.Column;
import dev.perigee.cli.session.Absences;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.InterruptedCallException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.ConsumeStats;
import dev.perigee.protocol.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** How many messages groups have not consumed yet. */
@Command(name = "lag", description = "Show how many messages a group, or every group, has not consumed yet, by topic.")
final class GroupLag implements Callable<Integer> {
    private static final String CLUSTER = "the cluster";

    private static final List<Column<Line>> COLUMNS = List.of(
            Column.text("Group", "group", Line::group),
            Column.text("Topic", "topic", Line::topic),
            Column.number("Lag", "lag", Line::lag),
            Column.number("Pulled, not consumed", "inFlight", Line::inFlight),
            Column.number("Queues", "queues", Line::queues));

    @Parameters(arity = "0..1", paramLabel = "GROUP", description = "Its name; default: all but system groups.")
    private @Nullable String group;

    @Option(names = "--watch", description = "Again and again until Ctrl-C, over restarts of brokers too.")
    private boolean watch;

    @Option(
            names = "--every",
            paramLabel = "MS",
            converter = WholeNumber.TimeoutMs.class,
            defaultValue = "2000",
            description =
                    "With --watch: how long from one time to the next, in milliseconds; default ${DEFAULT-VALUE}.")
    private int everyMs;

    @Option(
            names = "--max",
            converter = WholeNumber.Limit.class,
            defaultValue = "0",
            description = "With --watch: end after so many times; default ${DEFAULT-VALUE}, never.")
    private long max;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    @Spec
    private CommandSpec spec;

    /**
     * One topic of a group.
     *
     * @param inFlight messages handed to members whose end has not been told yet
     */
    private record Line(String group, String topic, long lag, long inFlight, int queues) {}

    @SuppressWarnings("NullAway.Init") // picocli sets spec before the command runs
    GroupLag() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            String wanted = group;
            if (wanted != null) {
                Admin.requireGroup(admin, wanted);
            }
            display.printer().rows(lines(admin, wanted), COLUMNS, "no positions yet");
            if (watch) {
                watch(admin, wanted);
            }
            return ExitCode.OK;
        });
    }

    /** Blocks until it has been printed as often as was wanted, or the thread is interrupted. */
    private void watch(AdminClient admin, @Nullable String wanted) throws ClientException {
        Absences absences = new Absences(spec.commandLine().getErr());
        long printed = 1;
        while (printed != max) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(everyMs));
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            try {
                List<Line> lines = lines(admin, wanted);
                absences.isHere(CLUSTER);
                display.printer().rows(lines, COLUMNS, "no positions yet");
                printed++;
            } catch (InterruptedCallException e) {
                return;
            } catch (ClientException e) {
                if (!e.isRetryable() && !(e instanceof RefusedException)) {
                    throw e;
                } // a broker that stops or starts refuses for a moment what it has answered before
                absences.isAway(CLUSTER, e.sentence());
            }
        }
    }

    private static List<Line> lines(AdminClient admin, @Nullable String wanted) throws ClientException {
        List<Line> lines = new ArrayList<>();
        if (wanted != null) {
            add(admin, wanted, lines);
            return lines;
        }
        for (String each : new TreeSet<>(admin.groups().list().keySet())) {
            if (!GroupName.isSystem(each)) {
                add(admin, each, lines);
            }
        }
        return lines;
    }

    private static void add(AdminClient admin, String group, List<Line> lines) throws ClientException {
        Map<String, Line> byTopic = new TreeMap<>();
        progress(admin, group)
                .offsetTable()
                .forEach((queue, at) -> byTopic.merge(
                        queue.topic(),
                        new Line(
                                group,
                                TopicName.isRetry(queue.topic()) ? "(retries)" : queue.topic(),
                                Math.max(0, at.brokerOffset() - at.consumerOffset()),
                                Math.max(0, at.pullOffset() - at.consumerOffset()),
                                1),
                        (one, other) -> new Line(
                                one.group(),
                                one.topic(),
                                one.lag() + other.lag(),
                                one.inFlight() + other.inFlight(),
                                one.queues() + other.queues())));
        lines.addAll(byTopic.values());
    }

    /** How far a group is, at all brokers; empty when it has never consumed. */
    static ConsumeStats progress(AdminClient admin, String group) throws ClientException {
        try {
            return admin.groups().progress(group);
        } catch (RefusedException e) {
            if (e.code() == ResponseCode.CONSUMER_NOT_ONLINE || e.code() == ResponseCode.TOPIC_NOT_EXIST) {
                return new ConsumeStats(Map.of(), 0);
            }
            throw e;
        }
    }
}
