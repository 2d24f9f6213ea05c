package dev.perigee.broker.start;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.perigee.loop.Immutable;
import dev.perigee.remoting.ServerConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;

/**
 * How the files a process may have open at once ({@code ulimit -n}) are shared between its connections and its files: a log
 * that cannot open its next file ends the broker, a connection more is merely refused.
 *
 * @param limit files and connections the process may have open; {@link #UNLIMITED} where that is not known
 * @param open how many it has open already
 * @param expected how many more it is going to open for sure
 */
@Immutable
public record DescriptorShare(long limit, long open, long expected) {
    /** No limit is known. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** Kept free for files at least, where the limit is so high that this is less than half of what is free. */
    private static final long RESERVE = 1024;

    private static final int LIMIT_SHARE = 4;

    /** What holds for this process now. Asks the machine; takes time proportional to the open files. */
    public static DescriptorShare ofProcess(long expected) {
        OperatingSystemMXBean machine = ManagementFactory.getOperatingSystemMXBean();
        return machine instanceof UnixOperatingSystemMXBean unix
                ? new DescriptorShare(unix.getMaxFileDescriptorCount(), unix.getOpenFileDescriptorCount(), expected)
                : new DescriptorShare(UNLIMITED, 0, expected);
    }

    /**
     * How many connections a server may have: of what is free, all but a reserve for files (a quarter of the limit, 1024 at
     * least), or half when that is more; {@link ServerConfig#DEFAULT_MAX_CONNECTIONS} at most.
     *
     * @param servers servers of the process that share them
     * @throws IOException when none is left
     */
    public int maxConnections(int servers) throws IOException {
        if (limit < 0 || limit == UNLIMITED) {
            return ServerConfig.DEFAULT_MAX_CONNECTIONS;
        }
        long free = limit - open - expected;
        long forAll = Math.max(free / 2, free - Math.max(RESERVE, limit / LIMIT_SHARE));
        if (forAll < servers) {
            throw new IOException("the process may have " + limit + " files and connections open (ulimit -n), has "
                    + open + " and needs " + expected + " more for its log: none is left for connections");
        }
        return (int) Math.min(ServerConfig.DEFAULT_MAX_CONNECTIONS, forAll / servers);
    }
}
