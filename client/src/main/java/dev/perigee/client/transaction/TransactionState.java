package dev.perigee.client.transaction;

/** How a local transaction stands. */
public enum TransactionState {
    /** It took place: the message is delivered. */
    COMMIT,
    /** It did not: nobody sees the message. */
    ROLLBACK,
    /** Not known yet: the broker asks again later, until it gives up. */
    UNKNOWN
}
