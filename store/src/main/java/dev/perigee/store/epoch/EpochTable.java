package dev.perigee.store.epoch;

import dev.perigee.loop.Immutable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The epochs of a log with the offsets where they begin: an index of the stamps of its frames (R4), and a projection of its facts
 * (R15). Epochs without bytes never appear (R25). A value: changes give another table.
 */
@Immutable
public final class EpochTable {
    /** The table of a log without a byte. */
    public static final EpochTable EMPTY = new EpochTable(List.of());

    private final List<Epoch> epochs;

    private EpochTable(List<Epoch> epochs) {
        this.epochs = List.copyOf(epochs);
    }

    /**
     * A table of these epochs, oldest first.
     *
     * @throws IllegalArgumentException as {@link #add}
     */
    public static EpochTable of(List<Epoch> epochs) {
        for (int i = 0; i < epochs.size(); i++) {
            checkOrder(i == 0 ? Optional.empty() : Optional.of(epochs.get(i - 1)), epochs.get(i));
        }
        return new EpochTable(epochs);
    }

    /**
     * The table with one more epoch at its end.
     *
     * @throws IllegalArgumentException when its number or its start does not rise
     */
    public EpochTable add(Epoch epoch) {
        checkOrder(last(), epoch);
        List<Epoch> grown = new ArrayList<>(epochs);
        grown.add(epoch);
        return new EpochTable(grown);
    }

    private static void checkOrder(Optional<Epoch> before, Epoch epoch) {
        boolean rises = before.isEmpty()
                || (epoch.number() > before.get().number()
                        && epoch.startOffset() > before.get().startOffset());
        if (!rises || epoch.startOffset() < 0) {
            throw new IllegalArgumentException(epoch + " must follow " + before + " in number and start");
        }
    }

    /** The table of the log that ends at an offset: without the epochs that begin there or later. */
    public EpochTable cutTo(long endOffset) {
        int kept = epochs.size();
        while (kept > 0 && epochs.get(kept - 1).startOffset() >= endOffset) {
            kept--;
        }
        return kept == epochs.size() ? this : new EpochTable(epochs.subList(0, kept));
    }

    /**
     * The table of the log that begins at an offset: without the epochs that end there or earlier. The epoch of the first byte
     * keeps its true start (R9).
     */
    public EpochTable trimTo(long startOffset) {
        int first = Math.max(0, indexAt(startOffset));
        return first == 0 ? this : new EpochTable(epochs.subList(first, epochs.size()));
    }

    /** The epoch a byte was written in; empty before the first. */
    public Optional<Epoch> at(long offset) {
        return get(indexAt(offset));
    }

    /** The last epoch with a number not above this; empty when there is none. */
    public Optional<Epoch> atMost(int number) {
        int index = epochs.size() - 1;
        while (index >= 0 && epochs.get(index).number() > number) {
            index--;
        }
        return get(index);
    }

    /**
     * The byte behind an epoch of this table (exclusive).
     *
     * @param logEnd where the log ends, which is where its last epoch does
     * @throws IllegalArgumentException when it is none of this table
     */
    public long endOf(Epoch epoch, long logEnd) {
        int index = epochs.indexOf(epoch);
        if (index < 0) {
            throw new IllegalArgumentException(epoch + " is not in " + this);
        }
        return index + 1 < epochs.size() ? epochs.get(index + 1).startOffset() : logEnd;
    }

    /** The epoch of the end; empty for a log without a byte. */
    public Optional<Epoch> last() {
        return get(epochs.size() - 1);
    }

    /** All, oldest first. */
    public List<Epoch> epochs() {
        return epochs;
    }

    private Optional<Epoch> get(int index) {
        return index < 0 ? Optional.empty() : Optional.of(epochs.get(index));
    }

    private int indexAt(long offset) {
        int low = 0;
        int high = epochs.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (epochs.get(middle).startOffset() <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EpochTable table && table.epochs.equals(epochs);
    }

    @Override
    public int hashCode() {
        return epochs.hashCode();
    }

    @Override
    public String toString() {
        return "EpochTable" + epochs;
    }
}
