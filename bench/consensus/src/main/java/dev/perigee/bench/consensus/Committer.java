package dev.perigee.bench.consensus;

/** Three nodes in this process, of which one leads. */
public interface Committer extends AutoCloseable {
    /**
     * Has an entry committed. Called by one thread.
     *
     * @param entry must not be changed until it is committed
     * @param done called by any thread, with whether a majority has it
     */
    void commit(byte[] entry, Done done) throws Exception;

    /** Ends the nodes. */
    @Override
    void close();

    /** What became of an entry. */
    interface Done {
        /** Called once for an entry. */
        void committed(boolean well);
    }
}
