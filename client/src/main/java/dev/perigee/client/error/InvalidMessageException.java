package dev.perigee.client.error;

/** A message or argument breaks a documented limit. Nothing was sent. */
public final class InvalidMessageException extends ClientException {
    private static final long serialVersionUID = 1L;

    private final String field;

    /**
     * @param field the offending field, for instance {@code body}
     * @param value the offending value or its size, shortened for the text
     * @param limit the limit it breaks, with its unit
     * @param site the topic, and the time the call had left
     */
    public InvalidMessageException(String field, String value, String limit, FailureSite site) {
        this("invalid " + field + "=" + value + " limit: " + limit, field, site);
    }

    private InvalidMessageException(String what, String field, FailureSite site) {
        super(what, site, null);
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

    @Override
    ClientException at(String text, FailureSite place) {
        return new InvalidMessageException(text, field, place);
    }
}
