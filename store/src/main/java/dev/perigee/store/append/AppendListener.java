package dev.perigee.store.append;

/** Told once how an append ended. */
@FunctionalInterface
public interface AppendListener {
    /**
     * Called on the log loop, or on the submitting thread when the request is refused at once. Must not block or throw.
     */
    void completed(AppendRequest request, AppendResult result);
}
