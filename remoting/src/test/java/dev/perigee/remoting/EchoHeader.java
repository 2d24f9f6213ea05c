package dev.perigee.remoting;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/** Request and response header of the test calls. */
public record EchoHeader(
        String text, int number, @OptionalField @Nullable String note) {
    static EchoHeader of(String text, int number) {
        return new EchoHeader(text, number, null);
    }
}
