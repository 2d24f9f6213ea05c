package dev.perigee.store.append;

/** A frame as read back. */
record StoredFrame(
        long offset, int sizeBytes, String topic, int queueId, long queueOffset, long storeTimestampMs, String body) {}
