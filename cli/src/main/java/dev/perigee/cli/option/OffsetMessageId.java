package dev.perigee.cli.option;

import dev.perigee.protocol.message.MessageId;
import picocli.CommandLine.ITypeConverter;

/** Reads an offset message id; gives its text. */
public final class OffsetMessageId implements ITypeConverter<String> {
    /** Called by picocli. */
    public OffsetMessageId() {}

    @Override
    public String convert(String text) {
        try {
            return MessageId.parse(text.strip()).text();
        } catch (IllegalArgumentException e) {
            throw new UnacceptedValueException(text, "an offset message id of 32 or 56 upper-case hex digits");
        }
    }
}
