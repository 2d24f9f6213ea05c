package dev.perigee.namesrv.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.namesrv.kv.KvTable.Change;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds when the disk fails behind the rename: the new file is there, and whoever changed it is told so. */
class WholeFileTest {
    @TempDir
    Path folder;

    private boolean failing;

    private WholeFile file() {
        return new WholeFile(folder.resolve("f"), synced -> {
            if (failing) {
                throw new IOException("Input/output error");
            }
        });
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Change put(KvTable table, String value) {
        List<Change> outcome = new ArrayList<>();
        table.put("n", "k", value, outcome::add);
        return outcome.get(0);
    }

    private Optional<String> stored() throws Exception {
        KvFile file = new KvFile(folder.resolve("f"));
        return new KvTable(file, file.read(), Runnable::run).get("n", "k");
    }

    @Test
    void aFileWhoseRenameCouldNotBeMadeDurableHoldsTheNewBytesAndSaysSo() throws Exception {
        WholeFile file = file();
        file.replace(bytes("old"));
        failing = true;
        assertThatThrownBy(() -> file.replace(bytes("new")))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("holds the change already", "Input/output error", "unless the power fails");
        assertThat(file.read(100)).hasValueSatisfying(held -> assertThat(held).isEqualTo(bytes("new")));

        failing = false;
        file.replace(bytes("old"));
        assertThat(file.read(100)).hasValueSatisfying(held -> assertThat(held).isEqualTo(bytes("old")));
    }

    @Test
    void aValueThatIsPutAgainTakesAFailedChangeBackFromTheFileToo() throws Exception {
        KvFile file = new KvFile(file());
        KvTable table = new KvTable(file, file.read(), Runnable::run);
        assertThat(put(table, "old")).isInstanceOf(Change.Done.class);
        failing = true;
        assertThat(put(table, "new"))
                .isInstanceOfSatisfying(
                        Change.Refused.class,
                        refused -> assertThat(refused.reason()).contains("holds the change already"));
        assertThat(table.get("n", "k")).hasValue("old");
        assertThat(stored()).hasValue("new");
        assertThat(put(table, "old")).isInstanceOf(Change.Refused.class);

        failing = false;
        assertThat(put(table, "old")).isInstanceOf(Change.Done.class);
        assertThat(stored()).hasValue("old");
    }
}
