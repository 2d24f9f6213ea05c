package dev.perigee.store.view;

import java.io.DataInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Remembers the offsets it was shown, which shows at once what came twice or not at all. */
final class CountingView implements LogView {
    private final String name;
    final List<Long> offsets = new ArrayList<>();
    final List<Long> trims = new ArrayList<>();
    int passes;

    CountingView(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void apply(LogEntry entry) {
        offsets.add(entry.offset());
    }

    @Override
    public void passEnded() {
        passes++;
    }

    @Override
    public void trimmed(long startOffset) {
        trims.add(startOffset);
    }

    @Override
    public ViewImage freeze() {
        List<Long> frozen = List.copyOf(offsets);
        return target -> {
            target.writeInt(frozen.size());
            for (long offset : frozen) {
                target.writeLong(offset);
            }
        };
    }

    @Override
    public void restore(DataInput state) throws IOException {
        for (int left = state.readInt(); left > 0; left--) {
            offsets.add(state.readLong());
        }
    }

    @Override
    public void forget() {
        offsets.clear();
    }

    @Override
    public String fingerprint() {
        return offsets.toString();
    }
}
