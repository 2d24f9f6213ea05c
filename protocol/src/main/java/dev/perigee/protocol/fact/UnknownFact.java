package dev.perigee.protocol.fact;

/**
 * A fact of a newer release.
 *
 * @param kind its name
 * @param mustUnderstand whether this node must stop serving
 * @param body its JSON text
 */
public record UnknownFact(String kind, boolean mustUnderstand, String body) implements Fact {}
