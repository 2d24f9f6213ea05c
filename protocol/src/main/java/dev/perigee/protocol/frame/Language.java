package dev.perigee.protocol.frame;

import org.jspecify.annotations.Nullable;

/** The language a peer is written in, as it says itself. The order is the wire code. */
public enum Language {
    JAVA,
    CPP,
    DOTNET,
    PYTHON,
    DELPHI,
    ERLANG,
    RUBY,
    /** Also stands for every name and number that is not known. */
    OTHER,
    HTTP,
    GO,
    PHP,
    OMS,
    RUST,
    NODE_JS;

    private static final Language[] BY_CODE = values();

    /** The byte in the binary header. */
    @SuppressWarnings("EnumOrdinal") // the order is the wire code, see above
    public byte code() {
        return (byte) ordinal();
    }

    /** The language with this code, {@link #OTHER} for an unknown one. */
    public static Language ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : OTHER;
    }

    /** The language with this name, {@link #OTHER} for an unknown one or null. */
    public static Language ofName(@Nullable String name) {
        for (Language language : BY_CODE) {
            if (language.name().equals(name)) {
                return language;
            }
        }
        return OTHER;
    }
}
