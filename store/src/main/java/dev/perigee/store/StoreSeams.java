package dev.perigee.store;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.store.append.LogLoop;
import dev.perigee.store.disk.Disk;
import java.util.random.RandomGenerator;

/**
 * What a store takes from the outside world, so that tests and simulation can put theirs in its place.
 *
 * @param disk the store's folder
 * @param random names logs and epochs; must differ between runs, need not be secret
 * @param bootId names this run of the machine: a process that starts again under the same id lost nothing it had written, unless
 *     it is {@link BootId#UNKNOWN}
 * @param faults told when the log can never be written again; the node must stop then
 */
@Immutable
public record StoreSeams(Disk disk, Clock clock, RandomGenerator random, long bootId, LogLoop.FaultListener faults) {}
