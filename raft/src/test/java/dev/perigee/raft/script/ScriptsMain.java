package dev.perigee.raft.script;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Plays the scenarios in a JVM of its own. Ends with {@link #FOUND} when one of them goes another way than it says, or cannot be played. */
public final class ScriptsMain {
    /** The exit when one of them goes another way. */
    public static final int FOUND = 7;

    private ScriptsMain() {}

    /** Plays them. */
    public static void main(String[] arguments) throws IOException {
        for (Path scenario : Scenarios.all()) {
            if (!isAsItSays(scenario)) {
                System.out.println(scenario + " goes another way");
                System.exit(FOUND);
            }
        }
    }

    private static boolean isAsItSays(Path scenario) throws IOException {
        try {
            return Scenarios.play(scenario).equals(Files.readString(scenario));
        } catch (RuntimeException e) {
            return false;
        }
    }
}
