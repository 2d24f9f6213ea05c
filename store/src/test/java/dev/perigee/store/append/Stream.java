package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameStamp;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.receive.CutOrder;
import dev.perigee.store.receive.ReceiveInbox;
import dev.perigee.store.receive.ReceiveListener;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.receive.ReceivedBytes;
import dev.perigee.store.receive.SenderState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Carries the bytes of one log in memory to another, in pieces of whole units, and notes what becomes of them. */
@OwnedBy("the test")
final class Stream implements ReceiveListener, CutOrder.CutListener {
    /** Whole units of one segment; a blank last. */
    static final class Piece {
        private final long offset;
        private final byte[] bytes;
        private final long endOffset;

        private Piece(long offset, byte[] bytes, long endOffset) {
            this.offset = offset;
            this.bytes = bytes;
            this.endOffset = endOffset;
        }

        long offset() {
            return offset;
        }

        byte[] bytes() {
            return bytes;
        }

        long endOffset() {
            return endOffset;
        }
    }

    private final CrashingDisk from;
    private final int segmentBytes;
    private final List<ReceiveRefusedException> refusals = new ArrayList<>();
    private final List<Long> received = new ArrayList<>();
    private final List<Long> cut = new ArrayList<>();
    private int roomTold;
    private long session = 1;
    private @Nullable Random padding;
    private Runnable onReceived = () -> {};

    Stream(CrashingDisk from, int segmentBytes) {
        this.from = from;
        this.segmentBytes = segmentBytes;
    }

    /** From now on some blanks come with all their zeros. */
    Stream padding(Random random) {
        padding = random;
        return this;
    }

    /** Runs this whenever a piece was taken, in the midst of the log loop's pass. */
    void onReceived(Runnable action) {
        onReceived = action;
    }

    void session(long number) {
        session = number;
    }

    List<ReceiveRefusedException> refusals() {
        return refusals;
    }

    /** Where the log ended after each piece that was taken. */
    List<Long> received() {
        return received;
    }

    List<Long> cut() {
        return cut;
    }

    int roomTold() {
        return roomTold;
    }

    /** The pieces between two offsets, each of up to so many units. */
    List<Piece> pieces(long fromOffset, long toOffset, int maxUnits, Random random) throws IOException {
        List<Piece> pieces = new ArrayList<>();
        long at = fromOffset;
        while (at < toOffset) {
            Piece piece = piece(at, toOffset, 1 + random.nextInt(maxUnits));
            pieces.add(piece);
            at = piece.endOffset();
        }
        return pieces;
    }

    /** The bytes from an offset on, at most so many units. */
    Piece piece(long offset, long limit, int units) throws IOException {
        byte[] file = file(offset);
        ByteBuffer bytes = ByteBuffer.wrap(file);
        int start = (int) (offset % segmentBytes);
        int at = start;
        for (int left = units; left > 0 && offset + at - start < limit && at < segmentBytes; left--) {
            if (bytes.getInt(at + FrameLayout.MAGIC) == FrameLayout.BLANK_MAGIC) {
                boolean padded = padding != null && padding.nextBoolean();
                int end = padded ? segmentBytes : at + FrameLayout.HEAD_BYTES;
                long segmentEnd = offset - start + segmentBytes;
                return new Piece(offset, Arrays.copyOfRange(file, start, end), segmentEnd);
            }
            at = unitEnd(bytes, at);
        }
        return new Piece(offset, Arrays.copyOfRange(file, start, at), offset + at - start);
    }

    private byte[] file(long offset) throws IOException {
        return from.content(String.format(Locale.ROOT, "commitlog/%020d", offset - offset % segmentBytes));
    }

    private static int unitEnd(ByteBuffer bytes, int from) {
        int at = from;
        boolean continues = true;
        while (continues) {
            int size = bytes.getInt(at);
            continues = FrameStamp.unitContinues(bytes, at, size);
            at += size;
        }
        return at;
    }

    boolean offer(LogRig to, Piece piece, long confirmOffset) {
        return offer(to, piece.offset(), piece.bytes(), confirmOffset);
    }

    boolean offer(LogRig to, long offset, byte[] bytes, long confirmOffset) {
        return offer(to.engine().received(), offset, bytes, confirmOffset);
    }

    boolean offer(ReceiveInbox to, long offset, byte[] bytes, long confirmOffset) {
        SenderState sender = new SenderState(session, 1, confirmOffset);
        return to.offer(new ReceivedBytes(sender, offset, direct(bytes), this));
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    boolean order(LogRig to, long endOffset) {
        return order(to.engine().received(), endOffset);
    }

    boolean order(ReceiveInbox to, long endOffset) {
        return to.offer(new CutOrder(session, endOffset, this));
    }

    /** Everything between two offsets, and until nothing moves. */
    void carry(LogRig to, long fromOffset, long toOffset, Random random) throws IOException {
        for (Piece piece : pieces(fromOffset, toOffset, 4, random)) {
            if (!offer(to, piece, toOffset)) {
                to.settle();
                offer(to, piece, toOffset);
            }
        }
        to.settle();
    }

    @Override
    public void received(ReceivedBytes bytes, long endOffset) {
        received.add(endOffset);
        onReceived.run();
    }

    @Override
    public void refused(ReceivedBytes bytes, ReceiveRefusedException why) {
        refusals.add(why);
    }

    @Override
    public void roomAgain() {
        roomTold++;
    }

    @Override
    public void cut(CutOrder order) {
        cut.add(order.endOffset());
    }

    @Override
    public void refused(CutOrder order, ReceiveRefusedException why) {
        refusals.add(why);
    }
}
