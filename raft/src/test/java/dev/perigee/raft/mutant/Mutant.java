package dev.perigee.raft.mutant;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A fault to plant (ADR 0025): one source file with a few words replaced.
 *
 * @param name what is missing
 * @param file below the folder of sources
 * @param find stands in the file exactly once
 * @param put what stands there instead
 * @param killer what must show it
 */
record Mutant(String name, String file, String find, String put, Killer killer) {
    private static final Path SOURCES = Path.of("src/main/java/dev/perigee/raft");

    /** What shows a mutant. */
    enum Killer {
        /** A simulated group, within a thousand seeds. */
        SIMULATION,
        /** A scenario that goes another way. */
        SCENARIO
    }

    /** The file with the fault in it. */
    String patched() throws IOException {
        String text = Files.readString(SOURCES.resolve(file));
        int at = text.indexOf(find);
        if (at < 0 || text.indexOf(find, at + 1) >= 0) {
            throw new IllegalStateException("'" + find + "' stands " + (at < 0 ? "nowhere" : "more than once") + " in "
                    + file + ": the mutant '" + name + "' must follow the source it is made from");
        }
        return text.substring(0, at) + put + text.substring(at + find.length());
    }

    @Override
    public String toString() {
        return name;
    }
}
