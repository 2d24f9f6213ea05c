package dev.perigee.broker.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.group.GroupStanding.FedMember;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The preferred member is asked to lead when it has kept up for a while, and seldom when it does not do it. */
final class PreferredLeaderTest {
    private static final long STEP_MS = 100;

    private final List<Long> askedMs = new ArrayList<>();
    private List<FedMember> followers = List.of(member("n0", 0, true), member("n2", 0, true));
    private long nowMs = 5_000;
    private final PreferredLeader duty = new PreferredLeader("n0", () -> followers, id -> {
        assertThat(id).isEqualTo("n0");
        askedMs.add(nowMs);
    });

    private static FedMember member(String id, long lagMs, boolean counts) {
        return new FedMember(id, "10.0.0.1:1", 100, lagMs, 0, counts);
    }

    private void run(long ms) {
        for (long end = nowMs + ms; nowMs < end; nowMs += STEP_MS) {
            if (nowMs >= duty.nextDeadlineMs()) {
                duty.doWork(nowMs);
            }
        }
    }

    @Test
    void isAskedWhenItHasKeptUpForTenSeconds() {
        followers = List.of();
        run(PreferredLeader.LED_MS);
        followers = List.of(member("n0", 0, true));
        run(PreferredLeader.KEPT_UP_MS - STEP_MS);
        assertThat(askedMs).isEmpty();

        run(3 * PreferredLeader.LOOK_MS);
        assertThat(askedMs).hasSize(1);
    }

    /** R7-05: it may be the one that is stopping, and has just handed over. */
    @Test
    void isNotAskedInTheFirstMinuteOfALeadership() {
        run(PreferredLeader.LED_MS - STEP_MS);
        assertThat(askedMs).isEmpty();

        run(3 * PreferredLeader.LOOK_MS);
        assertThat(askedMs).hasSize(1);
        askedMs.clear();
        nowMs += PreferredLeader.MOST_AGAIN_MS; // another one led
        run(PreferredLeader.LED_MS - STEP_MS);
        assertThat(askedMs).isEmpty();
    }

    @Test
    void isNotAskedWhileItIsFarBehindOrNotSureOrNotThere() {
        followers = List.of(member("n0", PreferredLeader.CLOSE_MS + 1, true));
        run(30_000);
        followers = List.of(member("n0", 0, false));
        run(30_000);
        followers = List.of(member("n2", 0, true));
        run(30_000);
        assertThat(askedMs).isEmpty();
    }

    @Test
    void beginsToCountAnewWhenItFallsBehind() {
        followers = List.of();
        run(PreferredLeader.LED_MS);
        followers = List.of(member("n0", 0, true));
        run(8_000);
        followers = List.of(member("n0", PreferredLeader.CLOSE_MS + 1, true));
        run(2_000);
        followers = List.of(member("n0", 0, true));
        run(8_000);
        assertThat(askedMs).isEmpty();
    }

    @Test
    void whoDoesNotTakeItIsAskedLaterAndLater() {
        run(12 * 60_000);

        assertThat(askedMs).hasSize(4);
        for (int i = 1; i < askedMs.size(); i++) {
            assertThat(askedMs.get(i) - askedMs.get(i - 1))
                    .isBetween(PreferredLeader.AGAIN_MS << (i - 1), (PreferredLeader.AGAIN_MS << (i - 1)) + 2_000);
        }
    }

    @Test
    void keepsUpFromWhenThisOneLeadsAgain() {
        run(8_000);
        nowMs += 60_000; // another one led
        run(8_000);
        assertThat(askedMs).isEmpty();
    }
}
