package dev.perigee.broker.check;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.DataVersion;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a table sorted by name a tool asks for (broker-admin §1, §2). Pages belong to one version of the table: a
 * page of a version that is no more starts again at the first entry, so that nobody mixes two tables.
 *
 * @param first how many entries to leave out
 * @param count most entries, 1 to {@link #MAX}
 */
@Immutable
public record Page(int first, int count) {
    /** Most entries of one page; more are cut. */
    public static final int MAX = 2_000;

    /**
     * The page asked for; null when none of the three was sent, which asks for everything.
     *
     * @param version the version the earlier pages came with, as JSON text
     * @param current the version of the table now
     */
    public static @Nullable Page of(
            @Nullable Integer first, @Nullable Integer count, @Nullable String version, DataVersion current) {
        String asked = version == null ? "" : version;
        if (first == null && count == null && asked.isBlank()) {
            return null;
        }
        boolean again = !asked.isBlank() && !isCurrent(asked, current);
        return new Page(
                again || first == null ? 0 : Math.max(0, first),
                count == null || count < 1 ? MAX : Math.min(MAX, count));
    }

    /** The entries of the page, in the order of their names. */
    public <V> Map<String, V> cut(SortedMap<String, V> table) {
        Map<String, V> page = new LinkedHashMap<>();
        table.entrySet().stream().skip(first).limit(count).forEach(entry -> page.put(entry.getKey(), entry.getValue()));
        return page;
    }

    /** A text that is no version is none of ours. */
    private static boolean isCurrent(String version, DataVersion current) {
        try {
            return Json.read(version, DataVersion.class).equals(current);
        } catch (BadBodyException e) {
            return false;
        }
    }
}
