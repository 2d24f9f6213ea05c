package dev.perigee.client.listener;

/** What a listener says about the messages it was given. */
public enum ConsumeResult {
    /** Done; they will not come again, except after a crash. */
    SUCCESS,
    /** Not done; they will come again later. An exception and {@code null} mean the same. */
    LATER
}
