package dev.perigee.broker.transaction;

/** What became of a half. */
enum Outcome {
    COMMITTED("committed", 'c'),
    ROLLED_BACK("rolled back", 'r'),
    SET_ASIDE("set aside", 's');

    /** For people. */
    final String text;
    /** In the store. */
    final byte code;

    Outcome(String text, char code) {
        this.text = text;
        this.code = (byte) code;
    }

    /**
     * That of a code.
     *
     * @throws IllegalArgumentException when there is none
     */
    static Outcome of(byte code) {
        for (Outcome each : values()) {
            if (each.code == code) {
                return each;
            }
        }
        throw new IllegalArgumentException("no outcome of a half has the code " + code);
    }
}
