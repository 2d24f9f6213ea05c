package dev.perigee.broker.config;

/** When a message counts as stored; the names are those of the configuration file. */
public enum FlushDiskType {
    /** After its fdatasync. The default. */
    SYNC_FLUSH,
    /** After it was written. */
    ASYNC_FLUSH
}
