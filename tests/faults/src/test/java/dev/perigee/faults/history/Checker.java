package dev.perigee.faults.history;

import dev.perigee.faults.history.Operation.Led;
import dev.perigee.faults.history.Operation.Receive;
import dev.perigee.faults.history.Operation.Send;
import dev.perigee.faults.history.Operation.Stored;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Looks for broken promises in a history that is complete: the senders have stopped, the group has read to the end, and everything that is
 * stored was read once more from the beginning. Pure.
 */
public final class Checker {
    private record Place(int queue, long offset) {
        @Override
        public String toString() {
            return queue + "/" + offset;
        }
    }

    private final History history;
    private final List<Send> acknowledged;
    private final Set<Long> sent = new HashSet<>();
    private final Map<Place, Long> idAt = new HashMap<>();
    private final Map<Long, Place> firstPlaceOf = new HashMap<>();
    private final Findings findings = new Findings();

    private Checker(History history) {
        this.history = history;
        this.acknowledged = history.acknowledged();
    }

    /** What is wrong with it. */
    public static Findings check(History history) {
        Checker checker = new Checker(history);
        checker.index();
        checker.acknowledgedIsStored();
        checker.offsetsAreOfOneMessage();
        checker.storedInOrderOfSending();
        checker.receivedWasSentAndIsStored();
        checker.acknowledgedWasReceived();
        checker.receivedInOrderOfStoring();
        checker.positionsAreOfOneMessage();
        checker.offsetsNeverGoBack();
        checker.oneLeadsATerm();
        return checker.findings;
    }

    private void index() {
        history.sends().forEach(send -> sent.add(send.id()));
        for (Stored stored : history.stored()) {
            Place place = new Place(stored.queue(), stored.offset());
            idAt.put(place, stored.id());
            if (!sent.contains(stored.id())) {
                findings.add(Violation.PHANTOM, Operation.nameOf(stored.id()) + " is stored at " + place);
                continue;
            }
            Place first = firstPlaceOf.putIfAbsent(stored.id(), place);
            if (first != null) {
                findings.add(Violation.STORED_TWICE, Operation.nameOf(stored.id()) + " at " + first + " and " + place);
            }
        }
    }

    private void acknowledgedIsStored() {
        for (Send send : acknowledged) {
            Place promised = new Place(send.queue(), send.offset());
            Long found = idAt.get(promised);
            if (!firstPlaceOf.containsKey(send.id())) {
                findings.add(Violation.LOST, name(send) + " acknowledged at " + promised);
            } else if (found == null || found != send.id()) {
                findings.add(
                        Violation.MOVED,
                        name(send) + " acknowledged at " + promised + " lies at " + firstPlaceOf.get(send.id()));
            }
        }
    }

    private void offsetsAreOfOneMessage() {
        Map<Place, Set<Long>> idsAt = new HashMap<>();
        acknowledged.forEach(send -> know(idsAt, send.queue(), send.offset(), send.id()));
        history.receives().forEach(receive -> know(idsAt, receive.queue(), receive.offset(), receive.id()));
        history.stored().forEach(stored -> know(idsAt, stored.queue(), stored.offset(), stored.id()));
        idsAt.forEach((place, ids) -> {
            if (ids.size() > 1) {
                findings.add(
                        Violation.OFFSET_REUSED,
                        place + " was "
                                + ids.stream().map(Operation::nameOf).sorted().toList());
            }
        });
    }

    private static void know(Map<Place, Set<Long>> idsAt, int queue, long offset, long id) {
        idsAt.computeIfAbsent(new Place(queue, offset), none -> new HashSet<>()).add(id);
    }

    /** A sender waits for each answer, so that its acknowledged messages follow one another in time; it sends to one queue. */
    private void storedInOrderOfSending() {
        Map<Integer, Send> last = new HashMap<>();
        for (Send send : acknowledged) {
            Place place = firstPlaceOf.get(send.id());
            if (place == null) {
                continue;
            }
            Send before = last.put(send.sender(), send);
            Place earlier = before == null ? null : firstPlaceOf.get(before.id());
            if (earlier != null && earlier.queue() == place.queue() && earlier.offset() >= place.offset()) {
                findings.add(
                        Violation.STORED_OUT_OF_ORDER,
                        name(before) + " at " + earlier + " was acknowledged before " + name(send) + " at " + place
                                + " was sent");
            }
        }
    }

    private void receivedWasSentAndIsStored() {
        Set<Long> promised = new HashSet<>();
        acknowledged.forEach(send -> promised.add(send.id()));
        for (Receive receive : history.receives()) {
            String text = Operation.nameOf(receive.id()) + " was received from "
                    + new Place(receive.queue(), receive.offset());
            if (!sent.contains(receive.id())) {
                findings.add(Violation.PHANTOM, text);
            } else if (!firstPlaceOf.containsKey(receive.id()) && !promised.contains(receive.id())) {
                findings.add(Violation.RECEIVED_AND_GONE, text);
            }
        }
    }

    private void acknowledgedWasReceived() {
        Set<Long> received = new HashSet<>();
        history.receives().forEach(receive -> received.add(receive.id()));
        findings.redelivered(history.receives().size() - (long) received.size());
        for (Send send : acknowledged) {
            if (firstPlaceOf.containsKey(send.id()) && !received.contains(send.id())) {
                findings.add(Violation.NOT_RECEIVED, name(send) + " at " + firstPlaceOf.get(send.id()));
            }
        }
    }

    private void receivedInOrderOfStoring() {
        Set<Place> seen = new HashSet<>();
        Map<Integer, Long> furthest = new HashMap<>();
        for (Receive receive : history.receives()) {
            if (seen.add(new Place(receive.queue(), receive.offset()))) {
                long before = furthest.getOrDefault(receive.queue(), Operation.NONE);
                if (receive.offset() < before) {
                    findings.add(
                            Violation.RECEIVED_OUT_OF_ORDER,
                            receive.queue() + "/" + receive.offset() + " came after " + receive.queue() + "/" + before);
                }
                furthest.merge(receive.queue(), receive.offset(), Math::max);
            }
        }
    }

    private void positionsAreOfOneMessage() {
        Map<Long, Send> at = new HashMap<>();
        for (Send send : acknowledged) {
            Send before = send.position() == Operation.NONE ? null : at.putIfAbsent(send.position(), send);
            if (before != null) {
                findings.add(
                        Violation.POSITION_REUSED,
                        name(before) + " by " + before.broker() + " and " + name(send) + " by " + send.broker()
                                + " are both at " + send.position());
            }
        }
    }

    private void offsetsNeverGoBack() {
        neverBack(
                Violation.OFFSET_WENT_BACK,
                history.queries().stream()
                        .map(query -> new Told(query.queue(), query.offset(), query.beginUs(), query.endUs()))
                        .toList());
        neverBack(
                Violation.END_WENT_BACK,
                history.ends().stream()
                        .map(end -> new Told(end.queue(), end.offset(), end.beginUs(), end.endUs()))
                        .toList());
    }

    /** An offset of a queue that somebody asked for and was told. */
    private record Told(int queue, long offset, long beginUs, long endUs) {}

    /** What was told before a question was asked bounds its answer; of two questions at a time either may be answered first. */
    private void neverBack(Violation violation, List<Told> answers) {
        List<Told> byEnd =
                answers.stream().sorted(Comparator.comparingLong(Told::endUs)).toList();
        Map<Integer, Told> largest = new HashMap<>();
        int ended = 0;
        for (Told told :
                answers.stream().sorted(Comparator.comparingLong(Told::beginUs)).toList()) {
            while (ended < byEnd.size() && byEnd.get(ended).endUs() < told.beginUs()) {
                Told before = byEnd.get(ended++);
                largest.merge(before.queue(), before, (a, b) -> b.offset() > a.offset() ? b : a);
            }
            Told before = largest.get(told.queue());
            if (before != null && told.offset() < before.offset()) {
                findings.add(
                        violation,
                        "queue " + told.queue() + " was told as " + before.offset() + " at " + before.endUs()
                                + " and as " + told.offset() + " from " + told.beginUs() + " to " + told.endUs());
            }
        }
    }

    private void oneLeadsATerm() {
        Map<Long, Led> first = new HashMap<>();
        Set<Long> found = new HashSet<>();
        for (Led told : history.led()) {
            Led before = first.putIfAbsent(told.term(), told);
            if (before != null && !before.leader().equals(told.leader()) && found.add(told.term())) {
                findings.add(Violation.TWO_LEADERS, before + " and " + told);
            }
        }
    }

    private static String name(Send send) {
        return Operation.nameOf(send.id());
    }
}
