package dev.perigee.broker.start;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.kv.ViewStores;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Gets the views' stores ready beside the rest of the start, for loading their library takes about as long; whoever is about to
 * acknowledge anything waits for it.
 */
@OwnedBy("starting thread")
public final class StoresReady implements AutoCloseable {
    private static final String THREAD = "perigee-view-stores";

    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();

    private StoresReady() {}

    /** Begins; on a thread of its own, or at once where there are to be none. */
    public static StoresReady begin(ViewStores stores, boolean threads) {
        StoresReady made = new StoresReady();
        if (threads) {
            Thread thread = new Thread(() -> made.run(stores), THREAD);
            thread.setDaemon(true);
            thread.start();
        } else {
            made.run(stores);
        }
        return made;
    }

    private void run(ViewStores stores) {
        try {
            stores.check();
            ready.complete(true);
        } catch (IOException | RuntimeException | Error e) { // a library may fail in any way; the start tells of it
            ready.completeExceptionally(e);
        }
    }

    /**
     * Waits until stores can be opened.
     *
     * @throws IOException when they cannot be on this machine
     */
    public void await() throws IOException {
        try {
            ready.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw cause instanceof IOException told ? told : new IOException("views' stores cannot be opened", cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while views' stores were being made ready", e);
        }
    }

    /** Waits for its thread, whatever that comes to: the folder is free then. */
    @Override
    public void close() {
        ready.handle((done, failure) -> true).join();
    }
}
