package dev.perigee.client.pull;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class QueueChangesTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<String> told = new ArrayList<>();
    private final QueueChanges changes = new QueueChanges(tasks::add);

    private void runAll() {
        while (!tasks.isEmpty()) {
            tasks.removeFirst().run();
        }
    }

    @Test
    void anErrorOfTheListenerDoesNotKeepTheNextChangeFromIt() {
        changes.tell((topic, all, mine) -> {
            told.add(topic);
            throw new NoClassDefFoundError("expected by the test");
        });
        changes.assigned("first", Set.of(PullWorld.FIRST), Set.of());
        changes.assigned("second", Set.of(PullWorld.FIRST), Set.of());
        runAll();
        changes.assigned("third", Set.of(PullWorld.FIRST), Set.of());
        runAll();

        assertThat(told).containsExactly("first", "second", "third");
    }
}
