package dev.perigee.store.receive;

/** Whoever hands received bytes to the log loop. All methods are called on the log loop and must not block. */
public interface ReceiveListener {
    /**
     * The bytes are written, not necessarily durable; when they are, and what that counts for, replication says. The buffer is
     * free again.
     *
     * @param endOffset where the log ends now
     */
    void received(ReceivedBytes bytes, long endOffset);

    /**
     * Not a byte of them was written, and none of what follows in this session will be: it does not fit any more. The buffer is
     * free again.
     */
    void refused(ReceivedBytes bytes, ReceiveRefusedException why);

    /** After an offer with this listener was turned away: half of the inbox is free again. Told once. */
    void roomAgain();
}
