package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;

/**
 * A key of a configuration file that is not obeyed.
 *
 * @param key the key as it stands in the file
 * @param why what an operator should know about it, as the end of a sentence that begins with the key
 */
@Immutable
public record IgnoredKey(String key, String why) {
    /** One line for an operator. */
    public String line() {
        return "setting " + key + " " + why;
    }
}
