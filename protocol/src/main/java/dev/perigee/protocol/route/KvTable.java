package dev.perigee.protocol.route;

import java.util.Map;

/**
 * Body that is a table of texts: KV lists (219), runtime information (28), the registration answer (103).
 */
public record KvTable(Map<String, String> table) {
    public KvTable {
        table = table == null ? Map.of() : table;
    }
}
