package dev.perigee.cli.option;

import picocli.CommandLine.TypeConversionException;

/** The value of an option is not one of those accepted; the text names it and what is, picocli adds the option. */
public final class UnacceptedValueException extends TypeConversionException {
    private static final long serialVersionUID = 1L;

    UnacceptedValueException(String value, String accepted) {
        super("'" + value + "' is not " + accepted);
    }
}
