package dev.perigee.it.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A member of a group in a JVM of its own, seen from the test: its notes, and the two ways to end it. For one thread. */
public final class Member implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String name;
    private final NoteFile file;
    private final int noted;
    private final JavaProcess process;
    private final List<Note> notes = new ArrayList<>();
    private long killedNs = Long.MAX_VALUE;
    private boolean isOver;

    private Member(String name, NoteFile file, int noted, JavaProcess process) {
        this.name = name;
        this.file = file;
        this.noted = noted;
        this.process = process;
    }

    /** Starts one in {@code folder/name} and does not wait for it. What one before it noted there is not its. */
    public static Member start(Path folder, String name, MemberSettings settings) throws IOException {
        Path home = Files.createDirectories(folder.toAbsolutePath().resolve(name));
        MemberSettings placed = settings.home(home);
        int noted = placed.notes().from(0).size();
        JavaProcess process = new JavaCommand(
                        name, MemberMain.class.getName(), System.getProperty("java.class.path"), home)
                .options("-Dlogback.configurationFile=member-logback.xml")
                .options("-Xms16m", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
                .arguments(placed.toArguments().toArray(String[]::new))
                .start();
        return new Member(name, placed.notes(), noted, process);
    }

    /** Its name among the members of this test. */
    public String name() {
        return name;
    }

    /** Everything it noted so far. */
    public List<Note> notes() {
        try {
            notes.addAll(file.from(noted + notes.size()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(notes);
    }

    /** Those of one kind. */
    public Stream<Note> notes(Note.Kind kind) {
        return notes().stream().filter(note -> note.kind() == kind);
    }

    /** The first of a kind. */
    public Optional<Note> first(Note.Kind kind) {
        return notes(kind).findFirst();
    }

    /** What it says so far. */
    public LockPromise.Witness witness() {
        return new LockPromise.Witness(name, notes(), killedNs);
    }

    /** Waits for its start to be over. */
    public Member awaitStarted() {
        await("start of " + name, () -> first(Note.Kind.STARTED).isPresent());
        return this;
    }

    /** Waits for something it does, and fails at once when it ends by itself. */
    public void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .failFast(() -> assertThat(process.isAlive() || isOver)
                        .as(() -> process + "\n" + process.stdout() + process.stderr())
                        .isTrue())
                .until(condition);
    }

    /** Whether nobody has ended it. */
    public boolean isRunning() {
        return !isOver;
    }

    /** Whether it was killed. */
    public boolean isKilled() {
        return killedNs != Long.MAX_VALUE;
    }

    /** When it was dead for certain, if it was killed; otherwise the end of time. */
    public long killedNs() {
        return killedNs;
    }

    /** SIGKILL. */
    public void kill() {
        assertThat(process.isAlive())
                .as(() -> process + " ended by itself\n" + process.stdout() + process.stderr())
                .isTrue();
        process.kill();
        killedNs = System.nanoTime();
        isOver = true;
    }

    /** SIGTERM: leaves its group as it should, and ends. */
    public void leave() {
        process.stop();
        isOver = true;
        assertThat(first(Note.Kind.CLOSED))
                .as(() -> name + " left its group\n" + process.stdout() + process.stderr())
                .isPresent();
    }

    /** Ends it anyhow, when the test is over. */
    @Override
    public void close() {
        if (!isOver) {
            process.kill();
            isOver = true;
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
