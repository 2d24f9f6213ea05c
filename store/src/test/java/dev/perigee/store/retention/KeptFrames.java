package dev.perigee.store.retention;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.ViewImage;
import java.io.DataInput;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Lives on the newest copy of each frame of one topic. */
final class KeptFrames implements LogView {
    /** The mark of a frame that cannot be copied. */
    static final String NO_COPY = "no copy";

    final TreeMap<Long, String> kept = new TreeMap<>();

    @Override
    public String name() {
        return "kept";
    }

    @Override
    public void apply(LogEntry entry) {
        if (entry.fact() instanceof TimerClosed closed) {
            kept.values().remove(closed.reason());
        }
        String mark = entry.property(PropertyKey.TIMER_MARK);
        if (mark != null) {
            kept.values().remove(mark);
            kept.put(entry.offset(), mark);
        }
    }

    @Override
    public ViewImage freeze() {
        return target -> {};
    }

    @Override
    public void restore(DataInput state) {}

    @Override
    public void forget() {
        kept.clear();
    }

    @Override
    public long firstLiveOffset() {
        return kept.isEmpty() ? Long.MAX_VALUE : kept.firstKey();
    }

    @Override
    public void carryForward(long belowOffset, CarrySink sink) {
        kept.headMap(belowOffset).forEach((offset, mark) -> sink.frame(offset, new MarkedCopy(mark)));
    }

    /** Closed is what this view is told of by the mark in the fact. */
    private record MarkedCopy(String mark) implements LogView.FrameCopy {
        @Override
        public FrameDraft of(MessageFrame frame) {
            if (mark.equals(NO_COPY)) {
                throw new IllegalStateException("injected: no copy can be made");
            }
            return new FrameDraft().like(frame).properties(PropertyText.of(Map.of(PropertyKey.TIMER_MARK, mark)));
        }

        @Override
        public Fact lost() {
            return TimerClosed.lost(List.of(), mark);
        }
    }
}
