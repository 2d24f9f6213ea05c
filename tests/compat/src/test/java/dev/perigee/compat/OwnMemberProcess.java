package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.QueueAt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A member of ours in a JVM of its own; {@link OwnMember} is what runs there. */
record OwnMemberProcess(JavaProcess process, String clientId) implements GroupMember {
    private static final String CLIENT = "client ";
    private static final String GOT = "got ";
    private static final String HAS = "has ";

    /** Starts it and returns when its start call has. */
    static OwnMemberProcess start(Path folder, String namesrv, String group, String topics) throws IOException {
        JavaProcess process = new JavaCommand(
                        "member",
                        OwnMember.class.getName(),
                        System.getProperty("java.class.path"),
                        Files.createDirectories(folder.toAbsolutePath()))
                .options("-Xmx128m", "-XX:+UseSerialGC")
                .arguments(namesrv, group, topics)
                .start();
        await("start of " + process)
                .atMost(OwnBench.PATIENCE)
                .failFast(() -> assertThat(process.isAlive())
                        .as(() -> process.stdout() + process.stderr())
                        .isTrue())
                .until(() -> !said(process, CLIENT).isEmpty());
        return new OwnMemberProcess(process, said(process, CLIENT).get(0));
    }

    /** The whole lines that begin with a word, without it. */
    private static List<String> said(JavaProcess process, String word) {
        String text = process.stdout();
        return text.substring(0, text.lastIndexOf('\n') + 1)
                .lines()
                .filter(line -> line.startsWith(word))
                .map(line -> line.substring(word.length()))
                .toList();
    }

    @Override
    public Set<QueueAt> owned() {
        List<String> all = said(process, HAS);
        return all.isEmpty()
                ? Set.of()
                : Arrays.stream(all.get(all.size() - 1).split(","))
                        .filter(queue -> !queue.isEmpty())
                        .map(queue -> queue.split(" "))
                        .map(queue -> new QueueAt(queue[0], queue[1], Integer.parseInt(queue[2])))
                        .collect(Collectors.toSet());
    }

    @Override
    public Collection<String> bodies() {
        return said(process, GOT);
    }

    @Override
    public void leave() {
        process.stop();
    }

    /** SIGKILL. */
    void kill() {
        process.kill();
    }
}
