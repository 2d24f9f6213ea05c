package dev.perigee.dist;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.output.Printer;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.frame.FrameVerifier.Verdict;
import dev.perigee.store.log.LogScanner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a walk over a log found: counts by verdict, and where it is damaged. */
@OwnedBy("command thread")
final class LogTotals {
    /** So many damaged ranges are named; further ones are counted. */
    static final int MAX_NAMED = 10_000;

    private static final List<Column<Damage>> DAMAGE = List.of(
            Column.json("offset", Damage::offset),
            Column.json("size", Damage::sizeBytes),
            Column.json("verdict", damage -> damage.verdict().name()));

    private final long startOffset;
    private final Map<Verdict, Long> counts = new TreeMap<>();
    private final List<Damage> named = new ArrayList<>();
    private long endOffset;
    private long damagedRanges;

    /** One damaged range. */
    private record Damage(long offset, long sizeBytes, Verdict verdict) {
        private String sentence() {
            return "damaged: offset " + offset + ", " + sizeBytes + " bytes, " + verdict;
        }
    }

    /** @param startOffset where the walk begins */
    LogTotals(long startOffset) {
        this.startOffset = startOffset;
        this.endOffset = startOffset;
    }

    /** Counts where the scanner stands. */
    void add(LogScanner scanner) {
        counts.merge(scanner.verdict(), 1L, Long::sum);
        if (scanner.isSound()) {
            endOffset = scanner.offset() + scanner.sizeBytes();
        } else if (scanner.verdict() != Verdict.BLANK) {
            damagedRanges++;
            if (named.size() < MAX_NAMED) {
                named.add(new Damage(scanner.offset(), scanner.sizeBytes(), scanner.verdict()));
            }
        }
    }

    long damagedRanges() {
        return damagedRanges;
    }

    /** Each damaged range on a line, then the counts; or one object with everything. */
    void print(Printer printer) {
        named.forEach(damage -> printer.sentence(damage.sentence()));
        if (damagedRanges > named.size()) {
            printer.sentence("and " + (damagedRanges - named.size()) + " more damaged ranges");
        }
        Map<String, Object> totals = new LinkedHashMap<>();
        totals.put("startOffset", startOffset);
        totals.put("endOffset", endOffset);
        counts.forEach((verdict, count) -> totals.put(verdict.name(), count));
        totals.put("damagedRanges", damagedRanges);
        if (printer.isJson()) {
            totals.put("damaged", Printer.objects(named, DAMAGE));
        }
        printer.members(totals);
    }
}
