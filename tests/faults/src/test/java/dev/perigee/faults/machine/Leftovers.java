package dev.perigee.faults.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Takes away what rigs left on the machine whose process is gone: their processes, namespaces, links, bridges and mounts. */
public final class Leftovers {
    private static final Path MOUNTS = Path.of("/proc/mounts");
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private Leftovers() {}

    /** Removes them, and tells what they were. What cannot be removed is told on stderr and stays. */
    public static List<String> remove() throws IOException {
        List<String> removed = new ArrayList<>();
        if (Namespaces.whyNot().isEmpty()) {
            for (String line :
                    Command.output("ip", "-o", "link", "show").lines().toList()) {
                String link = BLANKS.split(line)[1].replaceAll("[:@].*", "");
                if (RigName.isLeftBehind(link)) {
                    Command.attempt("ip", "link", "del", link);
                    removed.add("link " + link);
                }
            }
            for (String namespace : firstWords(Command.output("ip", "netns", "list"))) {
                if (RigName.isLeftBehind(namespace)) {
                    killAll(namespace);
                    Command.attempt("ip", "netns", "del", namespace);
                    removed.add("namespace " + namespace);
                }
            }
        }
        removeMounts(removed);
        return removed;
    }

    /** A stopped process does not see that its rig is gone, and lives on. */
    private static void killAll(String namespace) throws IOException {
        for (String pid : firstWords(Command.output("ip", "netns", "pids", namespace))) {
            ProcessHandle.of(Long.parseLong(pid)).ifPresent(process -> {
                if (process.destroyForcibly()) {
                    process.onExit().join();
                }
            });
        }
    }

    private static void removeMounts(List<String> removed) throws IOException {
        for (String line : Files.readAllLines(MOUNTS)) {
            Path mountPoint = Path.of(BLANKS.split(line)[1]);
            if (mountPoint.getNameCount() > 0 && RigName.isLeftBehind(String.valueOf(mountPoint.getFileName()))) {
                Command.attempt("umount", mountPoint.toString());
                Files.deleteIfExists(LoopVolume.imageOf(mountPoint));
                removed.add("volume " + mountPoint);
            }
        }
    }

    private static List<String> firstWords(String text) {
        return text.lines()
                .filter(line -> !line.isBlank())
                .map(line -> BLANKS.split(line.strip())[0])
                .toList();
    }
}
