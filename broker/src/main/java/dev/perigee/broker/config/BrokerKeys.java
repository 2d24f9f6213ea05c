package dev.perigee.broker.config;

import dev.perigee.loop.config.Setting;
import dev.perigee.protocol.header.query.QueryLimits;
import dev.perigee.remoting.address.AddressSettings;
import dev.perigee.remoting.metrics.MetricsSettings;
import dev.perigee.remoting.tls.TlsKeys;
import dev.perigee.store.StoreConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Every key a broker knows, in RocketMQ's spelling, with its default, range and meaning. */
public final class BrokerKeys {
    private static final int MIB = 1024 * 1024;
    private static final int HOUR_MS = 3_600_000;
    /** What concerns the store has its default there. */
    private static final StoreConfig STORE = StoreConfig.defaults();

    static final Setting<String> CLUSTER =
            AddressSettings.name("brokerClusterName", "DefaultCluster").doc("Name of the cluster.");
    static final Setting<String> NAME =
            AddressSettings.name("brokerName", "broker-a").doc("Name of this broker group.");
    static final Setting<String> IP1 = AddressSettings.toldHost("brokerIP1", "")
            .doc("Address clients are told; empty = the first non-loopback IPv4.");
    static final Setting<String> IP2 = AddressSettings.toldHost("brokerIP2", "")
            .doc("Address slaves are told for replication; empty = that of clients.");
    static final Setting<Integer> LISTEN_PORT =
            AddressSettings.port("listenPort", 10911).doc("Port of clients; listenPort - 2 is listened on too.");
    static final Setting<Integer> HA_PORT = AddressSettings.port("haListenPort", 0)
            .doc("Port of replication; 0 = listenPort + 1. A master opens it where brokerRole or this key is set.");
    static final Setting<String> BIND =
            AddressSettings.host("bindAddress", "").doc("Address to listen on; empty = all.");
    static final Setting<String> NAMESRV =
            AddressSettings.addresses("namesrvAddr").doc("NameServers to register with.");

    static final Setting<String> ROOT_DIR = AddressSettings.path("storePathRootDir", "")
            .doc("Folder of all data; empty = the folder store in the user's home.");
    static final Setting<FlushDiskType> FLUSH =
            Setting.ofEnum("flushDiskType", FlushDiskType.SYNC_FLUSH).doc("When a message counts as stored.");
    static final Setting<Integer> SYNC_FLUSH_TIMEOUT = Setting.ofInt(
                    "syncFlushTimeout", STORE.syncFlushTimeoutMs(), 10, HOUR_MS)
            .doc("Milliseconds after which a slow fsync is answered 10.");
    static final Setting<Integer> SEGMENT_SIZE = Setting.ofInt(
                    "mappedFileSizeCommitLog", STORE.segmentSizeBytes(), MIB, 1024 * MIB)
            .doc("Bytes of one commit log file.");
    static final Setting<Integer> MAX_MESSAGE_SIZE = Setting.ofInt(
                    "maxMessageSize", STORE.maxMessageSizeBytes(), 1024, 12 * MIB)
            .doc("Bytes of the largest message body.");
    static final Setting<Integer> RETENTION = Setting.ofInt("fileReservedTime", STORE.retentionHours(), 1, 24 * 3650)
            .doc("Hours messages are kept.");
    static final Setting<String> DELETE_WHEN = Setting.of(
                    "deleteWhen",
                    STORE.deleteWhen(),
                    "hours of the day from 00 to 23, separated by semicolons",
                    text -> text.matches("([01]?\\d|2[0-3])(;([01]?\\d|2[0-3]))*") ? text : null)
            .doc("Hours of the day at which old messages go.");
    static final Setting<Long> MIN_FREE_BYTES = Setting.ofLong(
                    "minFreeDiskBytes", STORE.minFreeBytes(), 0, Long.MAX_VALUE)
            .unit("bytes")
            .doc("Writes are refused while less is free than this or minFreeDiskPercent, whichever is more.");
    static final Setting<Integer> MIN_FREE_PERCENT = Setting.ofInt(
                    "minFreeDiskPercent", STORE.minFreePercent(), 0, StoreConfig.MAX_FREE_PERCENT)
            .unit("percent")
            .doc("See minFreeDiskBytes.");
    static final Setting<Boolean> KEY_INDEX =
            Setting.ofBoolean("messageIndexEnable", true).doc("Whether messages can be found by key.");

    static final Setting<Boolean> AUTO_TOPIC =
            Setting.ofBoolean("autoCreateTopicEnable", true).doc("Whether a send creates an unknown topic.");
    static final Setting<Boolean> AUTO_GROUP =
            Setting.ofBoolean("autoCreateSubscriptionGroup", true).doc("Whether a consumer creates its unknown group.");
    static final Setting<Integer> DEFAULT_QUEUES =
            Setting.ofInt("defaultTopicQueueNums", 8, 1, 1024).doc("Most queues an automatically created topic gets.");
    static final Setting<Integer> PERMISSION =
            Setting.ofInt("brokerPermission", 6, 0, 7).doc("Permission bits: 4 read, 2 write.");
    static final Setting<Boolean> TRACE_TOPIC =
            Setting.ofBoolean("traceTopicEnable", false).doc("Whether the trace topic is created.");
    static final Setting<String> TRACE_TOPIC_NAME =
            AddressSettings.topic("msgTraceTopicName", "RMQ_SYS_TRACE_TOPIC").doc("Name of the trace topic.");
    static final Setting<Boolean> TRACE_ON =
            Setting.ofBoolean("traceOn", true).doc("Whether clients are told to trace.");
    static final Setting<String> REGION = Setting.of(
                    "regionId",
                    "DefaultRegion",
                    "1 to " + AddressSettings.MAX_NAME_LENGTH + " characters, none of them a control character",
                    text -> text.length() <= AddressSettings.MAX_NAME_LENGTH
                                    && text.chars().noneMatch(Character::isISOControl)
                            ? text
                            : null)
            .doc("Region written to messages.");
    static final Setting<Long> ACCEPT_FROM = Setting.ofLong("startAcceptSendRequestTimeStamp", 0, 0, Long.MAX_VALUE)
            .doc("Wall time (ms) before which sends are refused.");
    static final Setting<Integer> SEND_WAIT = Setting.ofInt("waitTimeMillsInSendQueue", 200, 1, HOUR_MS)
            .doc("Milliseconds a send may wait in the broker.");
    static final Setting<Integer> PULL_WAIT = Setting.ofInt("waitTimeMillsInPullQueue", 5000, 1, HOUR_MS)
            .doc("Milliseconds another request may wait in the broker.");

    static final Setting<DelayLevels> DELAY_LEVELS = Setting.of(
                    "messageDelayLevel",
                    Objects.requireNonNull(DelayLevels.parse(DelayLevels.DEFAULT_TEXT)),
                    DelayLevels.ACCEPTED,
                    DelayLevels::parse)
            .doc(
                    "Delays of level 1 and on; a retry waits by level 3 plus the retries before it. For what is sent from now on.");

    static final Setting<Long> MAX_DELAY = Setting.ofLong("timerMaxDelaySec", 2_592_000, 1, 315_360_000)
            .unit("s")
            .doc("How far ahead a message may name its time (TIMER_DELIVER_MS, TIMER_DELAY_MS, TIMER_DELAY_SEC).");

    static final Setting<Boolean> RECALL = Setting.ofBoolean("recallMessageEnable", true)
            .doc("Whether producers may take delayed messages back (370).");
    static final Setting<Integer> TRANSACTION_TIMEOUT = Setting.ofInt("transactionTimeOut", 6_000, 1, 24 * HOUR_MS)
            .doc("Milliseconds after which the producers of an undecided transaction are asked first.");
    static final Setting<Integer> TRANSACTION_INTERVAL = Setting.ofInt(
                    "transactionCheckInterval", 30_000, 100, 24 * HOUR_MS)
            .doc("Milliseconds between two checks of a transaction.");
    static final Setting<Integer> TRANSACTION_CHECKS = Setting.ofInt("transactionCheckMax", 15, 1, 1000)
            .doc("Checks of a transaction before it is set aside in TRANS_CHECK_MAX_TIME_TOPIC.");
    static final Setting<Boolean> REJECT_TRANSACTIONS =
            Setting.ofBoolean("rejectTransactionMessage", false).doc("Whether messages of transactions are refused.");

    static final Setting<Boolean> STORE_REPLIES = Setting.ofBoolean("storeReplyMessageEnable", true)
            .doc("Whether a reply that reached its requester is stored too.");

    static final Setting<Boolean> LONG_POLLING =
            Setting.ofBoolean("longPollingEnable", true).doc("Whether pulls wait as long as they ask.");
    static final Setting<Integer> SHORT_POLLING = Setting.ofInt("shortPollingTimeMills", 1000, 1, HOUR_MS)
            .doc("Milliseconds a pull waits without long polling.");
    static final Setting<Boolean> LITE_PULL =
            Setting.ofBoolean("litePullMessageEnable", true).doc("Whether lite pull (361) is served.");
    static final Setting<Integer> MAX_COUNT_NEAR = Setting.ofInt("maxTransferCountOnMessageInMemory", 32, 1, 1024)
            .doc("Messages per pull near the end of the log.");
    static final Setting<Integer> MAX_BYTES_NEAR = Setting.ofInt(
                    "maxTransferBytesOnMessageInMemory", 262_144, 1024, 8 * MIB)
            .doc("Bytes per pull near the end of the log.");
    static final Setting<Integer> MAX_COUNT_FAR = Setting.ofInt("maxTransferCountOnMessageInDisk", 8, 1, 1024)
            .doc("Messages per pull far from the end of the log.");
    static final Setting<Integer> MAX_BYTES_FAR = Setting.ofInt(
                    "maxTransferBytesOnMessageInDisk", 65_536, 1024, 8 * MIB)
            .doc("Bytes per pull far from the end of the log.");
    static final Setting<Integer> MEMORY_RATIO = Setting.ofInt("accessMessageInMemoryMaxRatio", 40, 0, 95)
            .doc(
                    "Share of the machine's memory, in percent, taken to hold the end of the log; farther back a pull gets less.");
    static final Setting<Integer> QUERY_MAX = Setting.ofInt(
                    "defaultQueryMaxNum", 32, QueryLimits.SMALLEST_FULL_MESSAGES, 1024)
            .doc("Messages per query by unique key.");
    static final Setting<Boolean> PROPERTY_FILTER = Setting.ofBoolean("enablePropertyFilter", true)
            .doc("Whether SQL92 subscriptions are served; otherwise they are refused with code 1.");
    static final Setting<Boolean> NOTIFY_GROUPS = Setting.ofBoolean("notifyConsumerIdsChangedEnable", true)
            .doc("Whether consumers are told at once that their group changed.");

    static final Setting<Integer> REGISTER_PERIOD = Setting.ofInt("registerNameServerPeriod", 30_000, 10_000, 60_000)
            .doc("Milliseconds between registrations.");
    static final Setting<Integer> REGISTER_TIMEOUT = Setting.ofInt("registerBrokerTimeoutMills", 24_000, 100, HOUR_MS)
            .doc("Milliseconds one NameServer may take.");
    static final Setting<Boolean> REGISTER_COMPRESSED =
            Setting.ofBoolean("compressedRegister", false).doc("Whether registrations are compressed.");
    static final Setting<Boolean> REGISTER_ALWAYS =
            Setting.ofBoolean("forceRegister", true).doc("False: ask a NameServer first whether anything changed.");
    static final Setting<Integer> SHUTDOWN_WAIT =
            Setting.ofInt("shutdownWaitTimeSeconds", 10, 0, 300).doc("Seconds a clean stop may take to drain.");
    static final Setting<Integer> METRICS_PORT = MetricsSettings.portSetting(5557, "Port of /metrics.");

    /** Keys that ask for a guarantee that is not built yet: true stops the start. */
    static final List<Setting<Boolean>> NOT_BUILT = List.of(
            notBuilt("aclEnable"),
            notBuilt("authenticationEnabled"),
            notBuilt("authorizationEnabled"),
            notBuilt("enableControllerMode"));

    private BrokerKeys() {}

    /** Every key, for the manual. */
    public static List<Setting<?>> all() {
        List<Setting<?>> all = new ArrayList<>();
        all.addAll(identity());
        all.addAll(ReplicationSettings.keys());
        all.addAll(GroupSettings.keys());
        all.addAll(storage());
        all.addAll(sending());
        all.addAll(reading());
        all.addAll(serving());
        all.addAll(TlsKeys.SERVER);
        all.addAll(TlsKeys.CLIENT);
        return List.copyOf(all);
    }

    private static List<Setting<?>> identity() {
        return List.of(
                CLUSTER,
                NAME,
                ReplicationSettings.ID,
                IP1,
                IP2,
                LISTEN_PORT,
                HA_PORT,
                BIND,
                NAMESRV,
                ReplicationSettings.ROLE);
    }

    private static List<Setting<?>> storage() {
        return List.of(
                ROOT_DIR,
                FLUSH,
                SYNC_FLUSH_TIMEOUT,
                SEGMENT_SIZE,
                MAX_MESSAGE_SIZE,
                RETENTION,
                DELETE_WHEN,
                MIN_FREE_BYTES,
                MIN_FREE_PERCENT,
                KEY_INDEX);
    }

    private static List<Setting<?>> sending() {
        return List.of(
                AUTO_TOPIC,
                AUTO_GROUP,
                DEFAULT_QUEUES,
                PERMISSION,
                TRACE_TOPIC,
                TRACE_TOPIC_NAME,
                TRACE_ON,
                REGION,
                ACCEPT_FROM,
                SEND_WAIT,
                DELAY_LEVELS,
                MAX_DELAY,
                RECALL,
                TRANSACTION_TIMEOUT,
                TRANSACTION_INTERVAL,
                TRANSACTION_CHECKS,
                REJECT_TRANSACTIONS,
                STORE_REPLIES);
    }

    private static List<Setting<?>> reading() {
        return List.of(
                PULL_WAIT,
                LONG_POLLING,
                SHORT_POLLING,
                LITE_PULL,
                MAX_COUNT_NEAR,
                MAX_BYTES_NEAR,
                MAX_COUNT_FAR,
                MAX_BYTES_FAR,
                MEMORY_RATIO,
                QUERY_MAX,
                PROPERTY_FILTER,
                NOTIFY_GROUPS);
    }

    private static List<Setting<?>> serving() {
        return List.of(
                REGISTER_PERIOD,
                REGISTER_TIMEOUT,
                REGISTER_COMPRESSED,
                REGISTER_ALWAYS,
                SHUTDOWN_WAIT,
                MetricsSettings.EXPORTER,
                METRICS_PORT);
    }

    /** Every key that may stand in a file, also those that only stop the start. */
    static List<Setting<?>> known() {
        List<Setting<?>> known = new ArrayList<>(all());
        known.addAll(NOT_BUILT);
        return known;
    }

    private static Setting<Boolean> notBuilt(String key) {
        return Setting.ofBoolean(key, false).doc("Not built yet: true stops the start.");
    }
}
