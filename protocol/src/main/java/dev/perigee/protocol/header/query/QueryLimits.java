package dev.perigee.protocol.header.query;

import dev.perigee.protocol.frame.FrameCodec;

/** How much one answer to QUERY_MESSAGE (12) holds. */
public final class QueryLimits {
    /** Most messages of one answer; also those of stock brokers. */
    public static final int MAX_MESSAGES = 64;

    /**
     * Most bytes of messages in one answer: what a frame that peers take holds, with room for its header. The first message that
     * does not fit ends the answer, so an answer may be full although it holds less. Stock clients cannot ask for what did not fit:
     * therefore as much as possible.
     */
    public static final int MAX_ANSWER_BYTES = FrameCodec.MAX_FRAME_BYTES - (1 << 20);

    /** An answer that ended because a message did not fit holds at least so much, whatever the size of that message. */
    public static final int SMALLEST_FULL_BYTES = 2 << 20;

    /** No broker is known to end an answer at fewer messages than this because there are more. */
    public static final int SMALLEST_FULL_MESSAGES = 8;

    private QueryLimits() {}
}
