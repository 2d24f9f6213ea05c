package dev.perigee.stock.spring;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** What the listeners got. */
@Component
public class Seen {
    private final Set<String> bodies = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> notBeforeMs = new ConcurrentHashMap<>();

    /** That message is early if it comes before then. */
    void notBefore(String body, long timeMs) {
        notBeforeMs.put(body, timeMs);
    }

    /** It came. */
    synchronized void got(String body) {
        boolean early = System.currentTimeMillis() < notBeforeMs.getOrDefault(body, 0L);
        System.out.println("shop got " + body + (early ? " too early" : ""));
        bodies.add(body);
        notifyAll();
    }

    /** Blocks until all of them came. */
    synchronized void await(Duration patience, String... wanted) throws InterruptedException {
        long endMs = System.currentTimeMillis() + patience.toMillis();
        while (!bodies.containsAll(Set.of(wanted))) {
            long leftMs = endMs - System.currentTimeMillis();
            if (leftMs <= 0) {
                throw new IllegalStateException("only these came: " + bodies);
            }
            wait(leftMs);
        }
    }
}
