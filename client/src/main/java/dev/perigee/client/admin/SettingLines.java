package dev.perigee.client.admin;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Settings as {@code key=value} lines, the body form of configuration requests. */
final class SettingLines {
    private SettingLines() {}

    static Map<String, String> parse(String text) {
        Map<String, String> settings = new TreeMap<>();
        text.lines().filter(line -> line.indexOf('=') > 0).forEach(line -> {
            int equals = line.indexOf('=');
            settings.put(
                    line.substring(0, equals).strip(),
                    line.substring(equals + 1).strip());
        });
        return settings;
    }

    static String format(Map<String, String> settings) {
        return new TreeMap<>(settings)
                .entrySet().stream()
                        .map(e -> e.getKey() + "=" + e.getValue() + "\n")
                        .collect(Collectors.joining());
    }
}
