package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RepeatedNotesTest {
    private static final String REFUSED = "event=hello_refused reason=\"n3 is no member\"";

    private final RaftReplication.RepeatedNotes notes = new RaftReplication.RepeatedNotes();

    @Test
    void whyAMemberIsRefusedIsWrittenOnceAMinuteWhateverComesBetween() {
        assertThat(notes.isNews(REFUSED, 1_000)).isTrue();
        assertThat(notes.isNews("event=refused_by_leader leader=n1 reason=\"the same\"", 1_100))
                .isTrue();
        assertThat(notes.isNews(REFUSED, 1_200)).isFalse();
        assertThat(notes.isNews(REFUSED, 60_999)).isFalse();
        assertThat(notes.isNews(REFUSED, 61_000)).isTrue();
        assertThat(notes.isNews(REFUSED + " and something else", 61_001)).isTrue();
    }

    @Test
    void whatHappensIsWrittenEachTime() {
        assertThat(notes.isNews("event=transfer_failed successor=n1", 1_000)).isTrue();
        assertThat(notes.isNews("event=transfer_failed successor=n1", 1_001)).isTrue();
    }

    @Test
    void itDoesNotRememberMoreAndMore() {
        for (int i = 0; i < RaftReplication.RepeatedNotes.MAX_REMEMBERED; i++) {
            assertThat(notes.isNews(REFUSED + i, 1_000)).isTrue();
        }
        assertThat(notes.isNews(REFUSED + 0, 1_000)).isFalse();
        assertThat(notes.isNews(REFUSED, 1_000)).isTrue();
        assertThat(notes.isNews(REFUSED + 0, 1_000)).as("forgotten").isTrue();
    }
}
