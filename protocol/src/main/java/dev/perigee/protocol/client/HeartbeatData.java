package dev.perigee.protocol.client;

import com.alibaba.fastjson2.annotation.JSONField;
import java.util.Set;

/**
 * Body of HEART_BEAT (34).
 */
public record HeartbeatData(
        @JSONField(name = "clientID") String clientId,
        Set<ProducerData> producerDataSet,
        Set<ConsumerData> consumerDataSet,
        int heartbeatFingerprint,
        boolean withoutSub) {
    public HeartbeatData {
        producerDataSet = producerDataSet == null ? Set.of() : producerDataSet;
        consumerDataSet = consumerDataSet == null ? Set.of() : consumerDataSet;
    }
}
