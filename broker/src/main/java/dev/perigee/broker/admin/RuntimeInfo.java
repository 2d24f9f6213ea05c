package dev.perigee.broker.admin;

import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.pull.PullWaiters;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.stats.Latencies;
import dev.perigee.broker.stats.Meter;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.store.log.CommitLog;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** The figures of GET_BROKER_RUNTIME_INFO (28), with the keys tools read, whether they mean something here or not. */
@ThreadSafe
public final class RuntimeInfo {
    /** Where the figures come from. */
    public record Sources(
            CommitLog log,
            String logFolder,
            LongSupplier appliedOffset,
            LongSupplier freeBytes,
            LongSupplier totalBytes,
            LongSupplier earliestMs,
            LongSupplier retentionFailures,
            LongSupplier framesLost,
            BrokerStats stats,
            PullWaiters waiters) {}

    /** The release stock peers are told this broker is level with. */
    static final String VERSION = PeerVersion.describe(PeerVersion.OURS);

    private static final int SHORT_SECONDS = 10;
    private static final int MINUTE_SECONDS = 60;
    private static final int TEN_MINUTES_SECONDS = 600;

    private final Sources from;
    private final LiveConfig config;
    private final Clock clock;
    private final long bootMs;

    public RuntimeInfo(Sources from, LiveConfig config, Clock clock) {
        this.from = from;
        this.config = config;
        this.clock = clock;
        this.bootMs = clock.wallMs();
    }

    /** Key → text. */
    Map<String, String> collect() {
        Map<String, String> table = new TreeMap<>();
        addBroker(table);
        addRates(table);
        addLog(table);
        addQueues(table);
        addTimers(table);
        return table;
    }

    private void addBroker(Map<String, String> table) {
        long seconds = Math.max(0, clock.wallMs() - bootMs) / 1000;
        table.put("bootTimestamp", Long.toString(bootMs));
        table.put(
                "runtime",
                String.format(
                        Locale.ROOT,
                        "[ %d days, %d hours, %d minutes, %d seconds ]",
                        seconds / 86_400,
                        seconds / 3_600 % 24,
                        seconds / 60 % 60,
                        seconds % 60));
        table.put("brokerVersionDesc", VERSION);
        table.put("brokerVersion", Integer.toString(PeerVersion.OURS));
        table.put("brokerActive", "true");
        table.put(
                "startAcceptSendRequestTimeStamp",
                Long.toString(config.settings().acceptSendsFromMs()));
        table.put("earliestMessageTimeStamp", Long.toString(from.earliestMs().getAsLong()));
    }

    private void addRates(Map<String, String> table) {
        BrokerStats stats = from.stats();
        Meter stored = stats.put().messages();
        Meter got = stats.got().messages();
        table.put("msgPutTotalYesterdayMorning", Long.toString(stats.putDays().yesterdayMorning()));
        table.put("msgPutTotalTodayMorning", Long.toString(stats.putDays().todayMorning()));
        table.put("msgPutTotalTodayNow", Long.toString(stored.total()));
        table.put("msgGetTotalYesterdayMorning", Long.toString(stats.gotDays().yesterdayMorning()));
        table.put("msgGetTotalTodayMorning", Long.toString(stats.gotDays().todayMorning()));
        table.put("msgGetTotalTodayNow", Long.toString(got.total()));
        table.put("putTps", rates(stored));
        table.put("getFoundTps", rates(stats.foundReads()));
        table.put("getMissTps", rates(stats.misses()));
        table.put("getTotalTps", rates(stats.foundReads(), stats.misses()));
        table.put("getTransferredTps", rates(got));
        table.put("getTransferedTps", rates(got));
        addPuts(table, stats);
    }

    private static void addPuts(Map<String, String> table, BrokerStats stats) {
        long messages = stats.put().messages().total();
        long bytes = stats.put().bytes().total();
        table.put("putMessageTimesTotal", Long.toString(messages));
        table.put("putMessageFailedTimes", Long.toString(stats.failures().total()));
        table.put("putMessageSizeTotal", Long.toString(bytes));
        table.put("putMessageAverageSize", Double.toString(messages == 0 ? 0 : (double) bytes / messages));
        Latencies took = stats.putLatencies();
        table.put("putMessageEntireTimeMax", Long.toString(took.longestMs()));
        table.put("putMessageDistributeTime", took.distribution());
        table.put("putLatency99", Long.toString(took.quantileMs(0.99)));
        table.put("putLatency999", Long.toString(took.quantileMs(0.999)));
        table.put("getMessageEntireTimeMax", "0");
    }

    private void addLog(Map<String, String> table) {
        CommitLog log = from.log();
        long total = from.totalBytes().getAsLong();
        long free = from.freeBytes().getAsLong();
        String ratio = Double.toString(total == 0 ? 0 : 1 - (double) free / total);
        table.put("commitLogMinOffset", Long.toString(log.startOffset()));
        table.put("commitLogMaxOffset", Long.toString(log.endOffset()));
        table.put("commitLogDiskRatio", ratio);
        table.put("commitLogDiskRatio_" + from.logFolder(), ratio);
        table.put("consumeQueueDiskRatio", ratio);
        table.put("commitLogDirCapacity", "Total : " + Sizes.text(total) + ", Free : " + Sizes.text(free) + ".");
        table.put("dispatchMaxBuffer", "0");
        table.put(
                "dispatchBehindBytes",
                Long.toString(
                        Math.max(0, log.confirmOffset() - from.appliedOffset().getAsLong())));
        table.put("pageCacheLockTimeMills", "0");
        long behindBytes = Math.max(0, log.endOffset() - log.syncedOffset());
        table.put("remainHowManyDataToFlush", Sizes.text(behindBytes));
        table.put("remainTransientStoreBufferNumbs", "0");
        table.put("retentionFailures", Long.toString(from.retentionFailures().getAsLong()));
        table.put("framesLost", Long.toString(from.framesLost().getAsLong()));
    }

    private void addQueues(Map<String, String> table) {
        for (String kind : new String[] {"send", "pull", "litePull", "query", "ack"}) {
            table.put(kind + "ThreadPoolQueueSize", "0");
            table.put(kind + "ThreadPoolQueueCapacity", "0");
            table.put(kind + "ThreadPoolQueueHeadWaitTimeMills", "0");
        }
        table.put("EndTransactionQueueSize", "0");
        table.put("EndTransactionThreadPoolQueueCapacity", "0");
        table.put("pullWaiting", Integer.toString(from.waiters().count()));
    }

    private static void addTimers(Map<String, String> table) {
        for (String key : new String[] {"timerReadBehind", "timerOffsetBehind", "timerCongestNum"}) {
            table.put(key, "0");
        }
        table.put("timerEnqueueTps", "0.0");
        table.put("timerDequeueTps", "0.0");
    }

    /** Three numbers: over the last ten seconds, minute and ten minutes; of several meters their sums. */
    private static String rates(Meter... meters) {
        return rate(SHORT_SECONDS, meters) + " " + rate(MINUTE_SECONDS, meters) + " "
                + rate(TEN_MINUTES_SECONDS, meters);
    }

    private static double rate(int seconds, Meter... meters) {
        return Arrays.stream(meters)
                .mapToDouble(meter -> meter.perSecond(seconds))
                .sum();
    }
}
