package dev.perigee.it.transaction;

import dev.perigee.client.transaction.TransactionState;
import dev.perigee.loop.ThreadSafe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * What became of local transactions, as a database of all processes of a group would know it: a file for each, which appears whole or not at
 * all. The first who writes a transaction decides it. It outlives the kill of any process.
 */
@ThreadSafe
final class Ledger {
    private static final String WRITING = "writing-";

    private final Path folder;

    Ledger(Path folder) {
        this.folder = folder;
    }

    /** Decides about a transaction unless somebody has; gives what it is decided to be. */
    TransactionState decide(String transaction, TransactionState wanted) {
        Path entry = folder.resolve(transaction);
        try {
            Path written = Files.writeString(folder.resolve(WRITING + UUID.randomUUID()), wanted.name());
            try {
                Files.createLink(entry, written);
            } catch (FileAlreadyExistsException e) {
                return read(entry);
            } finally {
                Files.delete(written);
            }
            return wanted;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static TransactionState read(Path entry) throws IOException {
        return TransactionState.valueOf(Files.readString(entry));
    }

    /** Everything that is decided, by transaction. */
    Map<String, TransactionState> all() throws IOException {
        Map<String, TransactionState> found = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path each : (Iterable<Path>) files::iterator) {
                String name = each.getFileName().toString();
                if (!name.startsWith(WRITING)) {
                    found.put(name, read(each));
                }
            }
        }
        return found;
    }

    /** How many are decided. */
    long size() throws IOException {
        return size("");
    }

    /** How many are decided of those whose names begin so. */
    long size(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString())
                    .filter(name -> name.startsWith(prefix) && !name.startsWith(WRITING))
                    .count();
        }
    }
}
