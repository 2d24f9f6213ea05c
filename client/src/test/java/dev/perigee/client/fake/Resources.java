package dev.perigee.client.fake;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What a test has opened; closed after it, the latest first. */
public final class Resources implements AfterEachCallback {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /** Has this closed after the test. */
    public <T extends AutoCloseable> T opened(T resource) {
        open.push(resource);
        return resource;
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
