package dev.perigee.broker.filter;

import org.antlr.v4.runtime.Token;

/** An expression that is not one; its text says where and why. Thrown inside this package only. */
final class BadSql extends RuntimeException {
    private static final int MAX_QUOTED = 64;

    BadSql(String text) {
        super(text, null, false, false);
    }

    /** Bad at this place. */
    static BadSql at(Token token, String why) {
        String near = token.getType() == Token.EOF ? "its end" : "'" + shortened(token.getText()) + "'";
        return new BadSql(
                "line " + token.getLine() + ":" + (token.getCharPositionInLine() + 1) + " near " + near + ": " + why);
    }

    private static String shortened(String text) {
        return text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + "…";
    }
}
