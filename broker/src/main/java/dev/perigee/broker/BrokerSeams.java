package dev.perigee.broker;

import dev.perigee.loop.Immutable;
import dev.perigee.remoting.transport.Transport;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.kv.ViewStores;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What a broker takes from outside, so that a simulation can put its own in its place.
 *
 * @param transport event loops and network
 * @param disk the folder of everything it keeps
 * @param viewStores where views keep what outgrows memory
 * @param random names logs and epochs, and picks queues for senders that do not care
 * @param bootId names this run of the machine; {@code BootId.UNKNOWN} (0) when it has no name: each start that follows no orderly stop then counts as one after a loss of power
 * @param threads whether the loops run on threads of their own; otherwise the caller steps {@link Broker#loops()}
 * @param coldReads does what the broker's duties read that may wait for the disk, where it has no threads; on the thread that steps the loops
 */
@Immutable
public record BrokerSeams(
        Transport transport,
        Disk disk,
        ViewStores viewStores,
        RandomGenerator random,
        long bootId,
        boolean threads,
        Executor coldReads) {
    /** With reads that are done at once. */
    public BrokerSeams(
            Transport transport,
            Disk disk,
            ViewStores viewStores,
            RandomGenerator random,
            long bootId,
            boolean threads) {
        this(transport, disk, viewStores, random, bootId, threads, Runnable::run);
    }
}
