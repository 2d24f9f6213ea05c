package dev.perigee.loop.config;

/** A setting has a value it cannot have. The text names key, value and what is accepted; it is fit for the operator. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** A longer value is shown by its beginning. */
    private static final int SHOWN_LENGTH = 200;

    private final String key;
    private final String value;
    private final String accepted;

    public ConfigException(String key, String value, String accepted) {
        super("setting " + key + "=" + shown(value) + " is not accepted: wanted " + accepted);
        this.key = key;
        this.value = value;
        this.accepted = accepted;
    }

    private static String shown(String value) {
        return value.length() <= SHOWN_LENGTH ? value : value.substring(0, SHOWN_LENGTH) + "…";
    }

    /** The key of the setting, as it stands in files. */
    public String key() {
        return key;
    }

    /** The value as it was written. */
    public String value() {
        return value;
    }

    /** What would be accepted, in words. */
    public String accepted() {
        return accepted;
    }
}
