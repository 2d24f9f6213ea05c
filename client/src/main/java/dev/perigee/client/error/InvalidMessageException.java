package dev.perigee.client.error;

/** A message or argument breaks a documented limit. Nothing was sent. */
public final class InvalidMessageException extends ClientException {
    private static final long serialVersionUID = 1L;

    private final String field;

    /**
     * @param field the offending field, for instance {@code body}
     * @param value the offending value or its size, shortened for the text
     * @param limit the limit it breaks, with its unit
     */
    public InvalidMessageException(String field, String value, String limit, String topic) {
        super("invalid " + field + "=" + value + " limit: " + limit, FailureSite.ofTopic(topic), null);
        this.field = field;
    }

    /** The offending field. */
    public String field() {
        return field;
    }

    @Override
    public boolean isRetryable() {
        return false;
    }
}
