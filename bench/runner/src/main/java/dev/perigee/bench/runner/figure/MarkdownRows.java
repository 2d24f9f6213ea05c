package dev.perigee.bench.runner.figure;

import java.util.ArrayList;
import java.util.List;

/** Rows for {@code bench/RESULTS.md}. Nobody has set bars yet, so that column is a dash. */
public final class MarkdownRows {
    private static final String RULE = "|---|---|---|---|---|---|---|---|";

    private final List<String> lines = new ArrayList<>();
    private String row;

    /** Rows of one scenario, beside one peer. */
    public MarkdownRows(String row, String ours, String peer) {
        this.row = row;
        lines.add(line("row", "figure", ours, "spread", peer, "spread", "ratio", "bar"));
        lines.add(RULE);
    }

    /** Adds a figure. */
    public MarkdownRows add(String figure, Samples ours, Samples theirs) {
        lines.add(line(
                row,
                figure,
                ours.medianText(),
                ours.spread(),
                theirs.medianText(),
                theirs.spread(),
                ours.ratioTo(theirs),
                Samples.NONE));
        row = "";
        return this;
    }

    /** Adds a figure unless both sides have nothing but zeros, which means that this load does not give it. */
    public MarkdownRows addIfGiven(String figure, Samples ours, Samples theirs) {
        return isGiven(ours) || isGiven(theirs) ? add(figure, ours, theirs) : this;
    }

    private static boolean isGiven(Samples samples) {
        return !samples.isEmpty() && samples.median() != 0;
    }

    private static String line(String... cells) {
        return "| " + String.join(" | ", cells) + " |";
    }

    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
