package dev.perigee.store.view;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.PacedTask;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * What the view loop works with.
 *
 * @param log where entries come from
 * @param clock tells how long a replay took
 * @param disk where checkpoints lie
 * @param preparer takes work that may block and does it step by step on the preparer; one at a time is handed over
 * @param isOpen whether the store is neither closed nor failed: without that no duty runs; asked on the view loop
 * @param mayAppend whether this node appends now, which most duties do; asked on the view loop
 */
@Immutable
public record ViewSeams(
        CommitLog log,
        Clock clock,
        Disk disk,
        Consumer<PacedTask> preparer,
        BooleanSupplier isOpen,
        BooleanSupplier mayAppend) {}
