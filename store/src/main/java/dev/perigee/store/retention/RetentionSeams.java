package dev.perigee.store.retention;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.store.append.FactListener;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.CommitLog;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * What retention works with.
 *
 * @param log what is trimmed
 * @param disk whose space is watched
 * @param clock its wall time decides the hour only
 * @param facts appends a fact and tells the listener where it ends
 * @param appliedOffset how far all views have applied
 */
@Immutable
public record RetentionSeams(
        CommitLog log, Disk disk, Clock clock, BiConsumer<Fact, FactListener> facts, LongSupplier appliedOffset) {}
