package dev.perigee.store.receive;

/** What comes to the log loop from the node whose log this one follows, in the order of the stream. */
public sealed interface Received permits ReceivedBytes, CutOrder {
    /** How many bytes of the inbox it takes. */
    int sizeBytes();
}
