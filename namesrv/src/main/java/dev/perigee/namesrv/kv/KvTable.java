package dev.perigee.namesrv.kv;

import dev.perigee.loop.ThreadSafe;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Texts by namespace and key. Reads see an immutable snapshot and never wait. Changes go one after the other through one
 * executor, are made durable first and become visible then: what a reader saw is still there after a crash.
 */
@ThreadSafe
public final class KvTable {
    /** The namespace whose keys are topics and whose values tell their queues in order. */
    public static final String ORDER_TOPIC_CONFIG = "ORDER_TOPIC_CONFIG";

    /** How many entries there may be in all; a further one is refused. */
    public static final int MAX_ENTRIES = 10_000;

    /** Longest namespace or key in characters; a longer one is refused. */
    public static final int MAX_KEY_CHARS = 512;

    /** Longest value in characters; a longer one is refused. */
    public static final int MAX_VALUE_CHARS = 64 * 1024;

    private final KvFile file;
    private final Executor writer;
    private volatile NavigableMap<String, NavigableMap<String, String>> table;
    private boolean fileMayDiffer; // on the writer: a change failed, and the file may hold it nevertheless

    /**
     * A table over what the file holds.
     *
     * @param writer runs one task at a time; it is the only place where the file is touched after construction
     */
    public KvTable(KvFile file, NavigableMap<String, NavigableMap<String, String>> loaded, Executor writer) {
        this.file = file;
        this.table = freeze(loaded);
        this.writer = writer;
    }

    /** What became of a change. */
    public sealed interface Change {
        /** It is durable and visible. */
        record Done() implements Change {}

        /**
         * Nothing that is read here has changed; the reason says so when the file has, so that it counts at the next start.
         * The next change takes that back, also one to what is read here.
         */
        record Refused(String reason) implements Change {}
    }

    /** The text of an entry; empty when there is none. */
    public Optional<String> get(String namespace, String key) {
        return Optional.ofNullable(inNamespace(namespace).get(key));
    }

    /** All entries of a namespace, in order of keys; empty when there are none. */
    public NavigableMap<String, String> inNamespace(String namespace) {
        return table.getOrDefault(namespace, Collections.emptyNavigableMap());
    }

    /** Adds or replaces an entry. The outcome is told once: on the writer, or at once when the entry is refused. */
    public void put(String namespace, String key, String value, Consumer<Change> outcome) {
        if (namespace.isBlank() || key.isBlank()) {
            outcome.accept(new Change.Refused("namespace and key must not be blank"));
        } else if (namespace.length() > MAX_KEY_CHARS || key.length() > MAX_KEY_CHARS) {
            outcome.accept(new Change.Refused("namespace or key is longer than " + MAX_KEY_CHARS + " characters"));
        } else if (value.length() > MAX_VALUE_CHARS) {
            outcome.accept(new Change.Refused("value has " + value.length() + " characters, limit " + MAX_VALUE_CHARS));
        } else {
            change(
                    current -> {
                        current.computeIfAbsent(namespace, absent -> new TreeMap<>())
                                .put(key, value);
                        return current;
                    },
                    outcome);
        }
    }

    /** Removes an entry; nothing happens when it is not there. The outcome is told once, on the writer. */
    public void delete(String namespace, String key, Consumer<Change> outcome) {
        change(
                current -> {
                    NavigableMap<String, String> entries = current.get(namespace);
                    if (entries != null) {
                        entries.remove(key);
                        if (entries.isEmpty()) {
                            current.remove(namespace);
                        }
                    }
                    return current;
                },
                outcome);
    }

    private void change(
            UnaryOperator<NavigableMap<String, NavigableMap<String, String>>> step, Consumer<Change> outcome) {
        try {
            writer.execute(() -> outcome.accept(applyGuarded(step)));
        } catch (RejectedExecutionException e) {
            outcome.accept(new Change.Refused("too many changes are waiting"));
        }
    }

    private Change applyGuarded(UnaryOperator<NavigableMap<String, NavigableMap<String, String>>> step) {
        try {
            return apply(step);
        } catch (RuntimeException e) { // whoever asked is told, whatever happens here
            return new Change.Refused("the change failed: " + e);
        }
    }

    private Change apply(UnaryOperator<NavigableMap<String, NavigableMap<String, String>>> step) {
        NavigableMap<String, NavigableMap<String, String>> changed = step.apply(thaw(table));
        if (changed.equals(table) && !fileMayDiffer) {
            return new Change.Done();
        }
        int entries = changed.values().stream().mapToInt(NavigableMap::size).sum();
        if (entries > MAX_ENTRIES) {
            return new Change.Refused("the table is full: limit " + MAX_ENTRIES + " entries");
        }
        try {
            file.write(changed);
        } catch (KvFileException e) {
            fileMayDiffer = true;
            return new Change.Refused(String.valueOf(e.getMessage()));
        }
        fileMayDiffer = false;
        table = freeze(changed);
        return new Change.Done();
    }

    private static NavigableMap<String, NavigableMap<String, String>> thaw(
            NavigableMap<String, NavigableMap<String, String>> frozen) {
        NavigableMap<String, NavigableMap<String, String>> copy = new TreeMap<>();
        frozen.forEach((namespace, entries) -> copy.put(namespace, new TreeMap<>(entries)));
        return copy;
    }

    private static NavigableMap<String, NavigableMap<String, String>> freeze(
            NavigableMap<String, NavigableMap<String, String>> source) {
        NavigableMap<String, NavigableMap<String, String>> copy = new TreeMap<>();
        source.forEach((namespace, entries) ->
                copy.put(namespace, Collections.unmodifiableNavigableMap(new TreeMap<>(entries))));
        return Collections.unmodifiableNavigableMap(copy);
    }
}
