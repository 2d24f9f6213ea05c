package dev.perigee.protocol.frame;

/** A header field is missing or cannot be read as its type. The frame itself is sound, so the request gets an answer. */
public final class BadFieldException extends Exception {
    private static final long serialVersionUID = 1L;

    public BadFieldException(String reason) {
        super(reason);
    }

    /** A mandatory field that is not there. */
    public static BadFieldException missing(String field) {
        return new BadFieldException("header field '" + field + "' is missing");
    }

    /** A field whose text is not of the wanted type. */
    public static BadFieldException unreadable(String field, String value, String wanted) {
        return new BadFieldException("header field '" + field + "' has the value '" + value + "', wanted " + wanted);
    }
}
