package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What an operator reads of a planned change of leaders. */
final class GroupLogLinesTest {
    private static final String GROUP = "dev.perigee.group";
    private static final String FEEDS = "dev.perigee.replica.feed.FeedSession";

    private final Lines log = new Lines();

    /** What one thread logs, on which the whole group runs; another test's threads may still be about. */
    private static final class Lines extends ListAppender<ILoggingEvent> {
        private volatile Thread own = Thread.currentThread();

        void ofThisThread() {
            own = Thread.currentThread();
        }

        @Override
        protected void append(ILoggingEvent event) {
            if (Thread.currentThread() == own) {
                super.append(event);
            }
        }
    }

    @BeforeEach
    void listen() {
        log.start();
        for (String name : List.of(GROUP, FEEDS)) {
            logger(name).setLevel(Level.INFO);
            logger(name).addAppender(log);
        }
    }

    @AfterEach
    void listenNoMore() {
        for (String name : List.of(GROUP, FEEDS)) {
            logger(name).setLevel(null);
            logger(name).detachAppender(log);
        }
    }

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }

    private List<String> lines(Level atLeast) {
        return log.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(atLeast))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void aPlannedTransferIsNoReasonToWarnAndMembersAreCalledByTheirIds() throws Exception { // R6-28, R6-40
        log.ofThisThread();
        SteppedGroup group = SteppedGroup.began(44, 3);
        GroupNode first = group.leader();
        group.awaitLevel();
        group.order("transferred", () -> first.group().orders().transferToBest());
        GroupNode next = group.leaderBut(first);
        group.awaitLevel();
        group.run(15_000);
        next.kill();
        group.leader();

        assertThat(lines(Level.WARN)).isEmpty();
        assertThat(lines(Level.INFO))
                .anyMatch(line -> line.contains("event=replica_follows member=" + next.id() + " node="))
                .anyMatch(line -> line.contains("event=replica_gone member=" + first.id() + " node="))
                .noneMatch(line -> line.contains("brokerId="));
    }

    @Test
    void whoIsRemovedIsToldOnceByWhichMembersAndBeforeItsSessionEnds() throws Exception {
        log.ofThisThread();
        SteppedGroup group = SteppedGroup.began(49, 3);
        GroupNode leader = group.leader();
        GroupNode leaves = group.others(leader).get(0);
        GroupNode stays = group.others(leader).get(1);
        group.awaitLevel();
        group.order("removed", () -> leader.group().orders().remove(leaves.id()));
        group.run(30_000);

        List<String> warned = lines(Level.WARN);
        assertThat(warned).isNotEmpty();
        assertThat(warned.get(0))
                .startsWith("event=removed_from_group member=" + leaves.id() + " ")
                .contains(leader.id() + "/", stays.id() + "/")
                .doesNotContain(leaves.id() + "/")
                .containsPattern(" factEnd=[1-9]\\d* ");
        assertThat(warned.subList(1, warned.size())).allMatch(line -> line.startsWith("event=session_ended "));
    }
}
