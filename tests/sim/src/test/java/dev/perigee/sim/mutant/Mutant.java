package dev.perigee.sim.mutant;

import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.kind.PairScene;
import dev.perigee.sim.kind.Scene;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A fault to plant: one source file of the product with a few words replaced.
 *
 * @param name what is missing
 * @param source the file, from the root of the project
 * @param edits what is replaced; each text stands in the file exactly once
 * @param killer the run that finds it
 */
record Mutant(String name, String source, List<Edit> edits, Killer killer) {
    private static final Path ROOT = Path.of("..", "..");
    private static final String JAVA_FOLDER = "src/main/java/";

    /** Some words, and what stands in their place. */
    record Edit(String find, String put) {}

    /** Where runs take place. */
    enum Stage {
        /** Brokers without replicas. */
        BROKERS,
        /** A master with slaves. */
        PAIR;

        Scene scene(long seed) {
            return this == PAIR ? PairScene.of(seed) : Scene.of(seed);
        }
    }

    /**
     * A run that finds it.
     *
     * @param events what goes wrong; empty for what the seed draws
     */
    record Killer(Stage stage, long seed, String events) {
        Killer(long seed, String events) {
            this(Stage.BROKERS, seed, events);
        }

        static Killer ofPair(long seed, String events) {
            return new Killer(Stage.PAIR, seed, events);
        }

        Scene scene() throws IOException {
            Scene drawn = stage.scene(seed);
            return events.isEmpty() ? drawn : new Scene(drawn.layout(), FaultPlan.read(events));
        }
    }

    static Mutant of(String name, String source, String find, String put, Killer killer) {
        return new Mutant(name, source, List.of(new Edit(find, put)), killer);
    }

    /** The file with the fault in it. */
    String patched() throws IOException {
        String text = Files.readString(ROOT.resolve(source));
        for (Edit edit : edits) {
            int at = text.indexOf(edit.find);
            if (at < 0 || text.indexOf(edit.find, at + 1) >= 0) {
                throw new IllegalStateException("'" + edit.find + "' stands " + (at < 0 ? "nowhere" : "more than once")
                        + " in " + source + ": the mutant '" + name + "' must follow the source it is made from");
            }
            text = text.substring(0, at) + edit.put + text.substring(at + edit.find.length());
        }
        return text;
    }

    /** The name of the file below the folder of its module's sources. */
    String fileName() {
        return source.substring(source.indexOf(JAVA_FOLDER) + JAVA_FOLDER.length());
    }

    @Override
    public String toString() {
        return name;
    }
}
