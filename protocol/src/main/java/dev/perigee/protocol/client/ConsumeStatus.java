package dev.perigee.protocol.client;

import com.alibaba.fastjson2.annotation.JSONField;

/**
 * Rates of one topic inside a consumer: milliseconds and calls per second.
 */
public record ConsumeStatus(
        @JSONField(name = "pullRT") double pullRt,
        @JSONField(name = "pullTPS") double pullTps,
        @JSONField(name = "consumeRT") double consumeRt,
        @JSONField(name = "consumeOKTPS") double consumeOkTps,
        @JSONField(name = "consumeFailedTPS") double consumeFailedTps,
        long consumeFailedMsgs) {}
