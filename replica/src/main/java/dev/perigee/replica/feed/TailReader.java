package dev.perigee.replica.feed;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.replica.StreamLimits;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads this log for one who asks for it piece by piece, as a feed would send it. May wait for the disk. Who asks from where the
 * last piece ended is read on for; who asks from elsewhere begins anew.
 */
@OwnedBy("preparer")
public final class TailReader {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final FeedSource source;
    private long session;
    private long nextOffset;
    private @Nullable UnitReader reader;

    public TailReader(FeedSource source) {
        this.source = source;
    }

    /**
     * The piece that follows what the asker has; without bytes when this log ends there. Blocks.
     *
     * @param epoch the epoch of the last byte of this log
     * @throws IOException when nothing can be read there, with the reason in words
     */
    public FeedFrame next(HeldHeader asked, int epoch) throws IOException {
        long offset = asked.endOffset();
        UnitReader now = reader;
        if (now == null || session != asked.session() || nextOffset != offset) {
            now = new UnitReader(source, StreamLimits.FRAME_BYTES);
            now.startAt(offset, asked.epoch());
            session = asked.session();
            nextOffset = offset;
            reader = now;
        }
        FetchedHeader header = new FetchedHeader(asked.session(), epoch, asked.epoch(), offset, source.confirmOffset());
        if (offset >= source.endOffset()) {
            return FeedFrame.of(header, NOTHING);
        }
        FeedPiece piece = read(now, offset);
        nextOffset = piece.nextOffset();
        return FeedFrame.of(header, piece.bytes());
    }

    private FeedPiece read(UnitReader from, long offset) throws IOException {
        FeedSource.Pinned bytes = source.pin(offset)
                .orElseThrow(() -> new IOException(
                        "offset " + offset + " is not stored: the log begins at " + source.startOffset()));
        try {
            long end = source.endOffset();
            FeedPiece piece = from.read(bytes, end, StreamLimits.FRAME_BYTES, UnitReader.DiskWait.ALLOWED);
            while (piece == null && from.stop() == UnitReader.Stop.UNFINISHED) {
                piece = from.read(bytes, end, StreamLimits.FRAME_BYTES, UnitReader.DiskWait.ALLOWED);
            }
            if (piece == null) {
                throw new IOException(
                        from.stop() == UnitReader.Stop.DAMAGED ? from.damage() : "no unit begins at offset " + offset);
            }
            return piece;
        } finally {
            bytes.release().run();
        }
    }
}
