package dev.perigee.raft.sim;

import dev.perigee.raft.LogEnd;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.MembersFact;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.EpochTable;
import dev.perigee.store.epoch.LogExtent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A log in memory, with the epoch table that a broker's has. */
final class SimLog {
    private final List<Unit> units = new ArrayList<>();
    private EpochTable epochs = EpochTable.EMPTY;

    long end() {
        return units.isEmpty() ? 0 : units.get(units.size() - 1).end();
    }

    LogEnd logEnd() {
        return endAt(end());
    }

    LogEnd endAt(long offset) {
        Optional<Epoch> last = epochs.cutTo(offset).last();
        return last.map(epoch -> new LogEnd(epoch.number(), epoch.id(), offset)).orElse(new LogEnd(0, 0, offset));
    }

    LogExtent extent() {
        return new LogExtent(epochs, 0, end());
    }

    Unit append(long size, int epoch, long epochId, long id, @Nullable Members members) {
        long before = units.isEmpty() ? 0 : units.get(units.size() - 1).prefix();
        Unit unit = Unit.after(before, end(), end() + size, epoch, epochId, id, members);
        add(unit);
        return unit;
    }

    /** A unit of another log, where it stands there. */
    void add(Unit unit) {
        if (unit.start() != end()) {
            throw new IllegalArgumentException(unit + " in a log that ends at " + end());
        }
        boolean begins = epochs.last()
                .map(last -> last.number() != unit.epoch() || last.id() != unit.epochId())
                .orElse(true);
        if (begins) {
            epochs = epochs.add(new Epoch(unit.epoch(), unit.epochId(), unit.start()));
        }
        // What stands before may differ from what stood before it where it comes from: that is for invariants to see.
        long before = units.isEmpty() ? 0 : units.get(units.size() - 1).prefix();
        units.add(
                Unit.after(before, unit.start(), unit.end(), unit.epoch(), unit.epochId(), unit.id(), unit.members()));
    }

    void cutTo(long offset) {
        while (end() > offset) {
            units.remove(units.size() - 1);
        }
        if (end() != offset) {
            throw new IllegalStateException("a cut to " + offset + " inside a unit, which begins at " + end());
        }
        epochs = epochs.cutTo(offset);
    }

    /** The index of the first unit that ends behind an offset. */
    int indexBehind(long offset) {
        int low = 0;
        int high = units.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (units.get(middle).end() <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    Unit get(int index) {
        return units.get(index);
    }

    int size() {
        return units.size();
    }

    /** The units from an offset on, at most so many. */
    List<Unit> from(long offset, int most) {
        int first = indexBehind(offset);
        return List.copyOf(units.subList(first, Math.min(units.size(), first + most)));
    }

    /** The end of the last unit that ends at an offset or before. */
    long unitEndAtMost(long offset) {
        int index = indexBehind(offset) - 1;
        return index < 0 ? 0 : units.get(index).end();
    }

    List<MembersFact> members() {
        List<MembersFact> facts = new ArrayList<>();
        for (Unit unit : units) {
            if (unit.members() != null) {
                facts.add(new MembersFact(unit.members(), unit.end()));
            }
        }
        return facts;
    }
}
