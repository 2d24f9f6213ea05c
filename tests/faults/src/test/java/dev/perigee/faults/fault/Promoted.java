package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The master of a pair is killed and does not come back as such: an operator makes a master of its slave, as docs/operations.md says, and later
 * a slave of the former master. Where that follows nobody within a minute, because it has what the other never had, it begins anew on an empty
 * folder.
 */
final class Promoted implements Fault {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration UNTIL_PUT_ASIDE = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofMillis(100);

    private final Node former;
    private final Node next;

    Promoted(List<Node> pair) {
        int master = pair.get(0).isMaster() ? 0 : 1;
        former = pair.get(master);
        next = pair.get(1 - master);
    }

    /** Waits for a slave that has all: one that is being filled cannot be promoted. */
    @Override
    public void start() throws IOException {
        Awaitility.await("a slave of " + former + " that can be promoted")
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .until(() -> former.hasLevelSlave() && next.knowsTopic());
        former.kill();
        next.stop();
        next.exchangeRolesWith(former);
        next.launch();
    }

    /** Waits until the pair is one again. */
    @Override
    public void heal() throws IOException {
        former.launch();
        try {
            awaitPair(UNTIL_PUT_ASIDE);
        } catch (ConditionTimeoutException e) {
            former.kill();
            former.putFolderAside();
            former.launch();
            awaitPairOrGiveUp();
        }
    }

    /** A pair that does not become one is left to whoever waits for acknowledgements next. */
    private void awaitPairOrGiveUp() {
        try {
            awaitPair(PATIENCE);
        } catch (ConditionTimeoutException e) {
            System.out.println("faults: " + e.getMessage());
        }
    }

    private void awaitPair(Duration patience) {
        Awaitility.await(former + " as a slave of " + next)
                .atMost(patience)
                .pollInterval(LOOK)
                .until(() -> {
                    next.supervise();
                    former.supervise();
                    return next.hasLevelSlave();
                });
    }

    @Override
    public String toString() {
        return "Promoted[node=" + next + ", in place of " + former + "]";
    }
}
