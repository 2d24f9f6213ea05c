package dev.perigee.bench.runner;

import dev.perigee.bench.runner.server.ServerKind;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One side of a comparison.
 *
 * @param name what the tables call it
 * @param server what is under load
 * @param client what puts it there
 * @param load key=value words for the load program, stronger than the scenario's
 */
record Contestant(String name, ServerKind server, LoadClient client, Map<String, String> load) {
    static Contestant of(String name, ServerKind server, LoadClient client) {
        return new Contestant(name, server, client, Map.of());
    }

    Contestant with(String key, String value) {
        Map<String, String> more = new LinkedHashMap<>(load);
        more.put(key, value);
        return new Contestant(name, server, client, more);
    }
}
