package dev.perigee.harness.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FoldersTest {
    @TempDir
    private Path home;

    @Test
    void aFolderGoesWithAllThatIsInItAndNothingElseDoes() throws IOException {
        Path run = home.resolve("run");
        Files.createDirectories(run.resolve("store").resolve("empty"));
        Files.writeString(run.resolve("store").resolve("log"), "one");
        Files.writeString(home.resolve("results"), "two");

        Folders.delete(run);

        try (var left = Files.list(home)) {
            assertThat(left).containsExactly(home.resolve("results"));
        }
    }

    @Test
    void whereThereIsNoneNothingIsDone() throws IOException {
        Folders.delete(home.resolve("run"));

        assertThat(home).isEmptyDirectory();
    }
}
