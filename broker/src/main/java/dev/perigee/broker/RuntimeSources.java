package dev.perigee.broker;

import dev.perigee.broker.admin.RuntimeInfo;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.LogStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** Where the runtime figures come from. */
final class RuntimeSources {
    private static final long UNKNOWN = 0;

    private RuntimeSources() {}

    static RuntimeInfo.Sources of(BrokerCore core, Disk disk) {
        return new RuntimeInfo.Sources(
                core.store.log(),
                Path.of(core.config.storage().rootDir(), LogStorage.FOLDER).toString(),
                core.store.viewLoop()::appliedOffset,
                asked(disk::freeBytes),
                asked(disk::totalBytes),
                core::earliestMessageMs,
                core.store::retentionFailures,
                core.store::framesLost,
                core.stats,
                core.waiters);
    }

    /** A figure of the disk, 0 when the disk does not tell: it is only shown. */
    static LongSupplier asked(DiskFigure figure) {
        return () -> {
            try {
                return figure.get();
            } catch (IOException e) {
                return UNKNOWN;
            }
        };
    }

    /** A question to the disk. */
    @FunctionalInterface
    interface DiskFigure {
        long get() throws IOException;
    }
}
