package dev.perigee.broker.fact;

import dev.perigee.loop.ThreadSafe;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What other threads hand to a duty, run on the view loop in the order in which it came. A task that fails is logged and ends neither the
 * loop nor the tasks behind it. Unbounded: whoever hands in bounds what is on its way.
 */
@ThreadSafe
public final class Inbox {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

    private final String owner;
    private final Runnable wake;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /**
     * An empty one.
     *
     * @param owner whose it is, in the log
     * @param wake makes the view loop run soon
     */
    public Inbox(String owner, Runnable wake) {
        this.owner = owner;
        this.wake = wake;
    }

    /** Hands in a task. Any thread. */
    public void post(Runnable task) {
        tasks.add(task);
        wake.run();
    }

    /** Runs what is there, so many at most; gives how many. On the view loop. */
    public int run(int max) {
        int done = 0;
        Runnable task;
        while (done < max && (task = tasks.poll()) != null) {
            guard(task);
            done++;
        }
        return done;
    }

    /** Runs a task of this owner's that did not come through here. On the view loop. */
    public void guard(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("event=task_failed owner={}", owner, e);
        }
    }
}
