package dev.perigee.broker.config;

import dev.perigee.loop.config.ConfigReader;
import dev.perigee.remoting.address.AddressSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Keys of stock configuration files that are known and not obeyed here, each with what does its work instead. They are
 * named in a warning at the start and cannot be changed by code 25.
 */
final class StockKeys {
    private static final String UNKNOWN = "is unknown and ignored";
    private static final String ONE_FOLDER =
            "is not supported: everything lies in one folder, named by storePathRootDir; here this is ";
    private static final String BY_ITSELF = "is not needed and ignored: the broker finds out by itself how it stopped";
    private static final String NO_POOLS = "is not needed and ignored: there are no such thread pools";
    private static final String FLUSHER = "is not needed and ignored: flushing is chosen by flushDiskType alone";
    private static final String NO_MAPPING = "is not needed and ignored: the log is not written through mapped memory";
    private static final String BY_PRESSURE =
            "is not supported: minFreeDiskBytes and minFreeDiskPercent say when the disk counts as full";
    private static final String ALWAYS_ON = "is not needed and ignored: what it switches is always on";

    private static final String BATCHES = "is not needed and ignored: what comes together goes to the others together";

    /** Paths of stock brokers and where their content lies here, seen from storePathRootDir. */
    private static final Map<String, String> FOLDERS = Map.of(
            "storePathCommitLog", "commitlog",
            "storePathConsumeQueue", "consumequeue",
            "storePathIndex", "index");

    private static final Map<String, String> OTHERS = Map.ofEntries(
            Map.entry("storeCheckpoint", BY_ITSELF),
            Map.entry("abortFile", BY_ITSELF),
            Map.entry("brokerConfigPath", "is ignored: the file is named by -c"),
            Map.entry("configBlackList", "is ignored: code 25 changes an allow-list of keys, see docs/operations.md"),
            Map.entry("rocketmqHome", "is not needed and ignored"),
            Map.entry("sendMessageThreadPoolNums", NO_POOLS),
            Map.entry("pullMessageThreadPoolNums", NO_POOLS),
            Map.entry("queryMessageThreadPoolNums", NO_POOLS),
            Map.entry("adminBrokerThreadPoolNums", NO_POOLS),
            Map.entry("clientManageThreadPoolNums", NO_POOLS),
            Map.entry("sendThreadPoolQueueCapacity", NO_POOLS),
            Map.entry("pullThreadPoolQueueCapacity", NO_POOLS),
            Map.entry("flushIntervalCommitLog", FLUSHER),
            Map.entry("flushCommitLogTimed", FLUSHER),
            Map.entry("flushCommitLogLeastPages", FLUSHER),
            Map.entry("transientStorePoolEnable", NO_MAPPING),
            Map.entry("warmMapedFileEnable", NO_MAPPING),
            Map.entry("mappedFileSizeConsumeQueue", "is not needed and ignored: these files have a size of their own"),
            Map.entry("mapedFileSizeCommitLog", "is not supported: this spelling is old; use mappedFileSizeCommitLog"),
            Map.entry("mapedFileSizeConsumeQueue", "is not needed and ignored: these files have a size of their own"),
            Map.entry("useReentrantLockWhenPutMessage", "is not needed and ignored: one thread writes, without a lock"),
            Map.entry("diskMaxUsedSpaceRatio", BY_PRESSURE),
            Map.entry("cleanFileForciblyEnable", BY_PRESSURE),
            Map.entry(
                    "checkTransactionMessageEnable",
                    "is not needed and ignored: undecided transactions are always checked"),
            Map.entry("timerWheelEnable", ALWAYS_ON),
            Map.entry("enableBatchPush", BATCHES),
            Map.entry("isEnableBatchPush", BATCHES));

    private StockKeys() {}

    /** Every key of this kind. */
    static Set<String> names() {
        Set<String> names = new TreeSet<>(FOLDERS.keySet());
        names.addAll(OTHERS.keySet());
        return names;
    }

    /** The keys of a file that are not obeyed; a path that says what is so anyway is obeyed. */
    static List<IgnoredKey> ignored(ConfigReader reader, String rootDir) {
        List<IgnoredKey> ignored = new ArrayList<>();
        for (String key : reader.unknownKeys()) {
            String folder = FOLDERS.get(key);
            if (folder == null) {
                ignored.add(new IgnoredKey(key, OTHERS.getOrDefault(key, UNKNOWN)));
            } else {
                Path place = Path.of(rootDir, folder);
                if (!isThere(AddressSettings.path(key, "").parse(reader.text(key)), place)) {
                    ignored.add(new IgnoredKey(key, ONE_FOLDER + place));
                }
            }
        }
        return ignored;
    }

    private static boolean isThere(String told, Path place) {
        return told.isBlank()
                || Path.of(told.strip())
                        .toAbsolutePath()
                        .normalize()
                        .equals(place.toAbsolutePath().normalize());
    }
}
