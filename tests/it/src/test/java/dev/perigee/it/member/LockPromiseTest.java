package dev.perigee.it.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The checker of orderly groups sees every kind of broken promise, and none where there is none. */
final class LockPromiseTest {
    private static final long ALIVE = Long.MAX_VALUE;

    @Test
    void ownersThatTakeTurnsBreakNothing() {
        assertThat(violations(
                        new LockPromise.Witness("a", notes(call(0, 10, 0, 2), call(10, 20, 2, 2)), ALIVE),
                        new LockPromise.Witness("b", call(20, 30, 4, 1), ALIVE)))
                .isEmpty();
    }

    @Test
    void aFailedCallComesAgainFromItsBeginning() {
        List<Note> again = notes(List.of(begun(0, 0, 2), end(Note.Kind.FAILED, 5, 0, 2)), call(6, 9, 0, 3));
        assertThat(violations(new LockPromise.Witness("a", again, ALIVE))).isEmpty();
        List<Note> goesOn = notes(List.of(begun(0, 0, 2), end(Note.Kind.FAILED, 5, 0, 2)), call(6, 9, 2, 1));
        assertThat(violations(new LockPromise.Witness("a", goesOn, ALIVE))).hasSize(1);
    }

    @Test
    void callsOfTwoOwnersAtOnceAreSeen() {
        assertThat(violations(
                        new LockPromise.Witness("a", call(0, 10, 0, 2), ALIVE),
                        new LockPromise.Witness("b", call(9, 30, 2, 1), ALIVE)))
                .singleElement()
                .asString()
                .contains("not alone");
    }

    @Test
    void aCallThatAKillEndedLastsUntilTheMemberIsDead() {
        assertThat(violations(
                        new LockPromise.Witness("a", List.of(begun(0, 0, 2)), 15),
                        new LockPromise.Witness("b", call(14, 30, 0, 1), ALIVE)))
                .singleElement()
                .asString()
                .contains("not alone");
        assertThat(violations(
                        new LockPromise.Witness("a", List.of(begun(0, 0, 2)), 15),
                        new LockPromise.Witness("b", call(16, 30, 0, 1), ALIVE)))
                .isEmpty();
    }

    @Test
    void aGapIsSeenAlsoAtTheBeginningAndAfterAKill() {
        assertThat(violations(new LockPromise.Witness("a", call(0, 10, 1, 2), ALIVE)))
                .hasSize(1);
        assertThat(violations(
                        new LockPromise.Witness("a", call(0, 10, 0, 2), 15),
                        new LockPromise.Witness("b", call(20, 30, 3, 1), ALIVE)))
                .hasSize(1);
    }

    @Test
    void theWayBackIsOpenAfterAKillOnlyAndNoFartherThanTheDeadOwnersOwnBeginning() {
        List<Note> first = call(0, 10, 0, 4);
        List<Note> second = call(20, 30, 4, 4);
        assertThat(violations(
                        new LockPromise.Witness("a", first, ALIVE),
                        new LockPromise.Witness("b", second, 35),
                        new LockPromise.Witness("c", call(40, 50, 4, 1), ALIVE)))
                .isEmpty();
        assertThat(violations(
                        new LockPromise.Witness("a", first, ALIVE),
                        new LockPromise.Witness("b", second, 35),
                        new LockPromise.Witness("c", call(40, 50, 3, 1), ALIVE)))
                .hasSize(1);
        assertThat(violations(
                        new LockPromise.Witness("a", first, ALIVE),
                        new LockPromise.Witness("b", second, ALIVE),
                        new LockPromise.Witness("c", call(40, 50, 7, 1), ALIVE)))
                .hasSize(1);
    }

    @Test
    void whatIsConsumedIsCountedWithItsRepetitions() {
        LockPromise promise = LockPromise.check(List.of(
                new LockPromise.Witness("a", call(0, 10, 0, 4), 15),
                new LockPromise.Witness("b", call(20, 30, 0, 2), ALIVE)));
        assertThat(promise.delivered()).isEqualTo(6);
        assertThat(promise.positions()).containsEntry(new LockPromise.Queue("t", 0), 4L);
    }

    private static List<String> violations(LockPromise.Witness... witnesses) {
        return LockPromise.check(List.of(witnesses)).violations();
    }

    private static List<Note> notes(List<Note> first, List<Note> then) {
        List<Note> both = new ArrayList<>(first);
        both.addAll(then);
        return both;
    }

    private static List<Note> call(long beginNs, long endNs, long offset, int count) {
        return List.of(begun(beginNs, offset, count), end(Note.Kind.DONE, endNs, offset, count));
    }

    private static Note begun(long atNs, long offset, int count) {
        return end(Note.Kind.BEGUN, atNs, offset, count);
    }

    private static Note end(Note.Kind kind, long atNs, long offset, int count) {
        return new Note(kind, "t", 0, count, offset, offset, atNs);
    }
}
