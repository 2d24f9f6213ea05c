package dev.perigee.replica;

import dev.perigee.loop.OwnedBy;
import dev.perigee.replica.feed.FeedSource;
import java.util.Optional;

/** A log of which nothing is in memory, however often it was read. */
@OwnedBy("the test")
final class ColdSource implements FeedSource {
    private final FeedSource log;

    ColdSource(FeedSource log) {
        this.log = log;
    }

    @Override
    public long startOffset() {
        return log.startOffset();
    }

    @Override
    public long endOffset() {
        return log.endOffset();
    }

    @Override
    public long confirmOffset() {
        return log.confirmOffset();
    }

    @Override
    public boolean endsIn(int epoch) {
        return log.endsIn(epoch);
    }

    @Override
    public boolean isLoaded(Pinned bytes, long from, long to) {
        return false;
    }

    @Override
    public long writtenFrom() {
        return Long.MAX_VALUE;
    }

    @Override
    public Optional<Pinned> pin(long offset) {
        return log.pin(offset);
    }
}
