package dev.perigee.store.append;

/** Where the bytes of a request lie until they are written. */
interface ChunkSpace {
    /**
     * Takes the bytes of one request back. Called by the log loop, in the order of submission per space, or by the
     * submitter when the request is refused.
     *
     * @param spaceEnd the running position after the request
     */
    void release(long spaceEnd, int sizeBytes);
}
