package dev.perigee.replica;

import java.util.Optional;

/** A broker's place among those that share its name, as the parts that serve clients see it; unless said otherwise, that of a broker alone. Any thread. */
public interface Standing {
    /** Of a broker without any other. */
    Standing ALONE = new Standing() {};

    /** Whether it follows a master, and so appends nothing, whoever asks; always the same. */
    default boolean isSlave() {
        return false;
    }

    /**
     * The number of the epoch for which alone duties of the master may decide now, as {@code FactSink.onlyIn} wants it: 0 where a broker is the
     * master for good, −1 while it is none.
     */
    default int decidesIn() {
        return 0;
    }

    /** Of a slave: whether its master is heard now. */
    default boolean isMasterHeard() {
        return false;
    }

    /** Of a slave: why nothing may be read from it yet (R21); empty when it may be read. */
    default Optional<String> notYet() {
        return Optional.empty();
    }

    /** Of a slave: whether messages are read from it while its master is heard; without its master they are in any case. */
    default boolean isReadBesideMaster() {
        return false;
    }

    /** Whether the slave of this id has, as far as is known here, nearly all that the master has: readers may be sent to it. */
    default boolean isReadable(long brokerId) {
        return false;
    }
}
