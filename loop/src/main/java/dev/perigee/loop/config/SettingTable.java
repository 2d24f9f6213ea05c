package dev.perigee.loop.config;

import java.util.List;

/** Writes settings as a table for people. */
public final class SettingTable {
    private SettingTable() {}

    /** A Markdown table: key, default, unit, what is accepted, meaning. */
    public static String markdown(List<? extends Setting<?>> settings) {
        StringBuilder table =
                new StringBuilder("| Key | Default | Unit | Accepted | Meaning |\n|---|---|---|---|---|\n");
        for (Setting<?> setting : settings) {
            table.append("| `").append(setting.key()).append("` | ");
            String defaultText = String.valueOf(setting.defaultValue());
            table.append(defaultText.isEmpty() ? "" : "`" + cell(defaultText) + "`")
                    .append(" | ");
            table.append(cell(setting.unit())).append(" | ");
            table.append(cell(setting.accepted())).append(" | ");
            table.append(cell(setting.doc())).append(" |\n");
        }
        return table.toString();
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace('\n', ' ');
    }
}
