package dev.perigee.broker.replica;

import java.util.Optional;

/** A broker's place among those that share its name, as the parts that serve clients see it. Any thread. */
public interface Standing {
    /** Of a broker without any other. */
    Standing ALONE = new Standing() {
        @Override
        public boolean isSlave() {
            return false;
        }

        @Override
        public boolean isMasterHeard() {
            return false;
        }

        @Override
        public Optional<String> notYet() {
            return Optional.empty();
        }

        @Override
        public boolean isReadBesideMaster() {
            return false;
        }

        @Override
        public boolean isReadable(long brokerId) {
            return false;
        }
    };

    /** Whether it follows a master, and so appends nothing, whoever asks; always the same. */
    boolean isSlave();

    /** Of a slave: whether its master is heard now. */
    boolean isMasterHeard();

    /** Of a slave: why nothing may be read from it yet (R21); empty when it may be read. */
    Optional<String> notYet();

    /** Of a slave: whether messages are read from it while its master is heard; without its master they are in any case. */
    boolean isReadBesideMaster();

    /** Whether the slave of this id has, as far as is known here, nearly all that the master has: readers may be sent to it. */
    boolean isReadable(long brokerId);
}
