package dev.perigee.replica.feed;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.HelloAnswer;
import dev.perigee.protocol.header.replica.RangeAnswer;
import dev.perigee.protocol.header.replica.RangeHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.replica.HelloCheck;
import dev.perigee.replica.LogFacts;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.view.ColdReaders;
import java.util.Locale;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers who wants to mend a log with what this one holds at a place: whole, sound units, or why not (R28). They need not be known as
 * confirmed here: a master that starts may wait for just the replica that is to be mended.
 */
@ThreadSafe
public final class RangeReader {
    /** A unit that is larger is not sent this way; none is appended. */
    static final int MAX_BYTES = StoreConfig.MAX_UNIT_BYTES;

    private final LogFacts facts;
    private final FeedSource source;
    private final ColdReaders coldReaders;
    private volatile LongConsumer onDamage = offset -> {};

    /** @param coldReaders for the reading, which may wait for the disk */
    public RangeReader(LogFacts facts, FeedSource source, ColdReaders coldReaders) {
        this.facts = facts;
        this.source = source;
        this.coldReaders = coldReaders;
    }

    /** Names who is told where this log is damaged too, on a reading thread; must not block. */
    public void onDamage(LongConsumer listener) {
        onDamage = listener;
    }

    /** Answers REPLICA_RANGE. */
    public void answer(Request<RangeHeader> request, Reply<RangeAnswer> reply) {
        RangeHeader asked = request.header();
        HelloAnswer own = facts.answer();
        ForkAnswer epoch = facts.fork(asked.epoch());
        if (!own.logId().equals(asked.logId()) || own.logId().equals(HelloCheck.NONE)) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "log id: asked for " + asked.logId() + ", here is " + own.logId());
        } else if (epoch.epoch() != asked.epoch()
                || !epoch.epochId().equals(asked.epochId())
                || asked.epochId().equals(HelloCheck.NONE)
                || epoch.endOffset() < asked.confirmOffset()) {
            reply.fail(
                    ResponseCode.SYSTEM_ERROR,
                    "another branch of the log: confirmed there up to " + asked.confirmOffset() + " of epoch "
                            + asked.epoch() + " (" + asked.epochId() + "), here epoch " + epoch.epoch() + " ("
                            + epoch.epochId() + ") ends at " + epoch.endOffset());
        } else if (asked.offset() < own.startOffset() || asked.offset() >= asked.confirmOffset()) {
            reply.fail(
                    ResponseCode.SYSTEM_ERROR,
                    "offset " + asked.offset() + ": stored here from " + own.startOffset()
                            + " on, and confirmed there up to " + asked.confirmOffset());
        } else if (!coldReaders.execute(() -> reply.guard(() -> read(asked.offset(), own, reply)))) {
            reply.fail(ResponseCode.SYSTEM_BUSY, "too many reads of old messages wait, try again");
        }
    }

    private void read(long offset, HelloAnswer own, Reply<RangeAnswer> reply) {
        FeedSource.Pinned bytes = source.pin(offset).orElse(null);
        if (bytes == null) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "offset " + offset + " is not stored any more");
            return;
        }
        UnitReader reader = new UnitReader(source, MAX_BYTES);
        reader.startAt(offset, 0);
        FeedPiece piece;
        try {
            piece = wholeUnits(reader, bytes, own.endOffset());
        } finally {
            bytes.release().run();
        }
        if (piece == null || piece.isUnfinished()) {
            String why = reader.stop() == UnitReader.Stop.DAMAGED
                    ? reader.damage()
                    : "the unit there has more than " + MAX_BYTES + " bytes ("
                            + reader.stop().name().toLowerCase(Locale.ROOT) + ")";
            reply.fail(ResponseCode.SYSTEM_ERROR, why);
            if (reader.stop() == UnitReader.Stop.DAMAGED) {
                onDamage.accept(reader.damagedAt());
            }
        } else {
            reply.ok(new RangeAnswer(piece.nextOffset(), own.confirmOffset()), Payload.of(piece.bytes()));
        }
    }

    private static @Nullable FeedPiece wholeUnits(UnitReader reader, FeedSource.Pinned bytes, long endOffset) {
        FeedPiece piece;
        do {
            piece = reader.read(bytes, endOffset, MAX_BYTES, UnitReader.DiskWait.ALLOWED);
        } while (piece == null && reader.stop() == UnitReader.Stop.UNFINISHED);
        return piece;
    }
}
