package dev.perigee.faults.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All operations of a run by kind, each in the order in which they ended. */
public record History(
        List<Operation.Send> sends,
        List<Operation.Receive> receives,
        List<Operation.Commit> commits,
        List<Operation.Query> queries,
        List<Operation.End> ends,
        List<Operation.Led> led,
        List<Operation.Stored> stored) {
    /** Reads a file of the driver. */
    public static History read(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return of(lines);
        }
    }

    /** The same from lines. */
    public static History of(Stream<String> lines) {
        History history = new History(
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>());
        lines.map(Operation::parse).forEach(history::add);
        return history;
    }

    /** Adds one that somebody else saw. */
    public void add(Operation operation) {
        if (operation instanceof Operation.Send send) {
            sends.add(send);
        } else if (operation instanceof Operation.Receive receive) {
            receives.add(receive);
        } else if (operation instanceof Operation.Commit commit) {
            commits.add(commit);
        } else if (operation instanceof Operation.Query query) {
            queries.add(query);
        } else if (operation instanceof Operation.End end) {
            ends.add(end);
        } else if (operation instanceof Operation.Led told) {
            led.add(told);
        } else {
            stored.add((Operation.Stored) operation);
        }
    }

    /** The sends that were promised, in the order of their answers. */
    public List<Operation.Send> acknowledged() {
        return sends.stream().filter(Operation.Send::isAcknowledged).toList();
    }
}
