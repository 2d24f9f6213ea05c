package dev.perigee.loop.config;

/** A setting whose value cannot be taken. The text names key, value and what would be accepted. Stops the start. */
public final class ConfigException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String key;

    public ConfigException(String key, String value, String accepted) {
        super("setting '" + key + "' has the value '" + value + "', accepted: " + accepted);
        this.key = key;
    }

    /** The key at fault. */
    public String key() {
        return key;
    }
}
