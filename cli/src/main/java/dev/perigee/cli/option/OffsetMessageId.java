package dev.perigee.cli.option;

import dev.perigee.protocol.message.MessageId;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;

/** Reads an offset message id; gives its text. */
public final class OffsetMessageId implements ITypeConverter<String> {
    /** Called by picocli. */
    public OffsetMessageId() {}

    @Override
    public String convert(String text) {
        return read(text)
                .orElseThrow(() -> new UnacceptedValueException(
                        text,
                        "an offset message id: 32 or 56 upper-case hex digits that begin with a broker's address ('send"
                                + " --json' prints it; 'send' alone prints the unique key)"));
    }

    /** The id as text; empty when this is none, as a unique key of as many digits that gives no port. */
    public static Optional<String> read(String text) {
        try {
            MessageId id = MessageId.parse(text.strip());
            return id.storeHost().getPort() == 0 ? Optional.empty() : Optional.of(id.text());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
