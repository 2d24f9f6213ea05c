package dev.perigee.broker.transaction.producer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AbsentGroupsTest {
    private static final long WAIT_MS = 30_000;

    private final AbsentGroups groups = new AbsentGroups();

    @Test
    void aGroupIsAwaySinceTheFirstLookThatFoundNobody() {
        assertThat(groups.absentMs("g", 1_000)).isZero();
        groups.lookAgain("g", 1_000, WAIT_MS);
        assertThat(groups.absentMs("other", 31_000)).isZero();
        assertThat(groups.absentMs("g", 31_000)).isEqualTo(30_000);
        groups.lookAgain("g", 31_000, WAIT_MS);
        assertThat(groups.absentMs("g", 61_000)).isEqualTo(60_000);
        groups.present("g");
        assertThat(groups.absentMs("g", 62_000)).isZero();
    }

    @Test
    void aGroupOfWhichNoHalfIsLookedAtAnyMoreIsForgotten() {
        groups.lookAgain("g", 0, 600_000);
        groups.lookAgain("g", 1_000, WAIT_MS); // another half of it, sooner
        long latestMs = 600_000 + AbsentGroups.LATE_MS;
        assertThat(groups.absentMs("g", latestMs)).isEqualTo(latestMs);
        assertThat(groups.absentMs("g", latestMs + 1)).isZero();
        groups.lookAgain("g", latestMs + 1, WAIT_MS);
        assertThat(groups.absentMs("g", latestMs + 2)).isEqualTo(1);
    }

    @Test
    void onlySoManyAreRememberedAndThoseThatAreGoneMakeRoom() {
        for (int i = 0; i < AbsentGroups.MAX_GROUPS; i++) {
            groups.lookAgain("g" + i, 0, WAIT_MS);
        }
        groups.lookAgain("one more", 1_000, WAIT_MS);
        assertThat(groups.absentMs("one more", 2_000)).isZero();
        assertThat(groups.absentMs("g0", 2_000)).isEqualTo(2_000);
        assertThat(groups.count()).isEqualTo(AbsentGroups.MAX_GROUPS);
        long laterMs = 10 * AbsentGroups.LATE_MS;
        groups.lookAgain("one more", laterMs, WAIT_MS);
        assertThat(groups.absentMs("one more", laterMs + 5)).isEqualTo(5);
        assertThat(groups.count()).isEqualTo(1);
    }
}
