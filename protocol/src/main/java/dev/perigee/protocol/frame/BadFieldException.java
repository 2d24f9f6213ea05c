package dev.perigee.protocol.frame;

/** A header field is missing or cannot be read as its type. The frame itself is sound, so the request gets an answer. */
public final class BadFieldException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int MAX_VALUE_SHOWN = 64;

    public BadFieldException(String reason) {
        super(reason);
    }

    /** A mandatory field that is not there. */
    public static BadFieldException missing(String field) {
        return new BadFieldException("header field '" + field + "' is missing");
    }

    /** A field whose text is not of the wanted type. A long value is shown cut. */
    public static BadFieldException unreadable(String field, String value, String wanted) {
        String shown = value.length() <= MAX_VALUE_SHOWN ? value : value.substring(0, MAX_VALUE_SHOWN) + "…";
        return new BadFieldException("header field '" + field + "' has the value '" + shown + "', wanted " + wanted);
    }
}
