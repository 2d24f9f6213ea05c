package dev.perigee.faults.cluster;

import dev.perigee.harness.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a node runs, without its settings.
 *
 * @param mainClass of the program
 * @param classPath its jars
 * @param arguments in front of {@code -c FILE}
 * @param settings that it gets wherever it runs
 */
record ServerProgram(String mainClass, String classPath, List<String> arguments, Map<String, String> settings) {
    private static final String[] JVM = {
        "-Xms128m", "-Xmx512m", "-XX:MaxDirectMemorySize=512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"
    };

    /** The command that starts it in that folder, with more settings. */
    JavaCommand command(String name, Path folder, Map<String, String> more) throws IOException {
        Map<String, String> all = new TreeMap<>(settings);
        all.put("rocketmqHome", folder.toString());
        all.putAll(more);
        StringBuilder lines = new StringBuilder();
        all.forEach((key, value) -> lines.append(key).append('=').append(value).append('\n'));
        Path file = Files.writeString(folder.resolve(name + ".conf"), lines.toString());
        return new JavaCommand(name, mainClass, classPath, folder)
                .options(JVM)
                .options("-Drocketmq.home.dir=" + folder)
                .arguments(arguments.toArray(String[]::new))
                .arguments("-c", file.toString());
    }
}
