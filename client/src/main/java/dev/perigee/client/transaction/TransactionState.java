package dev.perigee.client.transaction;

/** How a local transaction stands. */
public enum TransactionState {
    /** It took place: the message is delivered. */
    COMMIT("COMMIT_MESSAGE"),
    /** It did not: nobody sees the message. */
    ROLLBACK("ROLLBACK_MESSAGE"),
    /** Not known yet: the broker asks again later, until it gives up. */
    UNKNOWN("UNKNOW");

    private final String wireName;

    TransactionState(String wireName) {
        this.wireName = wireName;
    }

    /** Its name in trace records (broker-client §13). */
    String wireName() {
        return wireName;
    }
}
