package dev.perigee.store.retention;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.store.append.FactListener;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.PacedTask;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * What retention works with.
 *
 * @param log what is trimmed
 * @param disk whose space is watched
 * @param clock its wall time decides the hour only
 * @param background runs what may wait for the disk elsewhere; false when too much waits there
 * @param facts appends a fact and tells the listener where it ends
 * @param frames appends copies of frames
 * @param appliedOffset how far all views have applied
 */
@Immutable
public record RetentionSeams(
        CommitLog log,
        Disk disk,
        Clock clock,
        Predicate<PacedTask> background,
        BiConsumer<Fact, FactListener> facts,
        FrameAppender frames,
        LongSupplier appliedOffset) {
    /** Appends a frame that is no fact, as {@link FactSink} does. */
    @FunctionalInterface
    public interface FrameAppender {
        /** See {@code FactSink.append}. */
        void append(String topic, int queueId, FrameDraft frame, FactSink.Room room, FactSink.FrameListener done);
    }
}
