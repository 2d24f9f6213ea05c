package dev.perigee.broker.admin;

import java.util.Locale;

/** Numbers of bytes as tools show them. */
final class Sizes {
    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Sizes() {}

    /** {@code 512 B}, {@code 1.3 KiB}, {@code 100.0 GiB}. */
    static String text(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double value = bytes / 1024.0;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
    }
}
