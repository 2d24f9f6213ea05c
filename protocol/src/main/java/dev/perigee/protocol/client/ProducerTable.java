package dev.perigee.protocol.client;

import java.util.List;
import java.util.Map;

/**
 * Body of GET_ALL_PRODUCER_INFO (328).
 */
public record ProducerTable(Map<String, List<ProducerInfo>> data) {
    public ProducerTable {
        data = data == null ? Map.of() : data;
    }
}
