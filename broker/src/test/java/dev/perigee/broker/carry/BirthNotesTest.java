package dev.perigee.broker.carry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BirthNotesTest {
    private final BirthNotes notes = new BirthNotes(2);

    @Test
    void whatChangedIsKnownBetweenBeginAndEnd() {
        notes.note(1);
        assertThat(notes.has(1)).isFalse();
        notes.begin();
        notes.note(1);
        assertThat(notes.has(1)).isTrue();
        assertThat(notes.has(2)).isFalse();
        notes.end();
        assertThat(notes.has(1)).isFalse();
    }

    @Test
    void whenMoreChangedThanCanBeNotedAnythingMayHave() {
        notes.begin();
        notes.note(1);
        notes.note(2);
        notes.note(2);
        assertThat(notes.isOverrun()).isFalse();
        notes.note(3);
        assertThat(notes.isOverrun()).isTrue();
        assertThat(notes.has(77)).isTrue();
        notes.begin();
        assertThat(notes.has(77)).isFalse();
    }
}
