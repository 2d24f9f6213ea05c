package dev.perigee.protocol.client;

import com.alibaba.fastjson2.annotation.JSONField;

/**
 * State of one queue inside a consumer.
 */
public record QueueRunningInfo(
        long commitOffset,
        long cachedMsgMinOffset,
        long cachedMsgMaxOffset,
        int cachedMsgCount,
        int cachedMsgSizeInMiB,
        long transactionMsgMinOffset,
        long transactionMsgMaxOffset,
        int transactionMsgCount,
        boolean locked,
        long tryUnlockTimes,
        long lastLockTimestamp,
        @JSONField(name = "droped") boolean dropped,
        long lastPullTimestamp,
        long lastConsumeTimestamp) {}
