package dev.perigee.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What others wrote reaches a terminal without moving its cursor, and programs as it is. */
final class PrinterTest {
    private static final String HOSTILE = "a\u001b[2J\nb\t\u009b";

    private final StringWriter out = new StringWriter();

    private Printer printer(Printer.Format format) {
        return new Printer(new PrintWriter(out), format);
    }

    @Test
    void aCellIsOneLineWithoutControlCharacters() {
        printer(Printer.Format.TEXT).rows(List.of(HOSTILE), List.of(Column.text("Name", "name", name -> name)), "");
        assertThat(out.toString()).contains(" a.[2J.b.. ");
    }

    @Test
    void aMemberIsOneLineWithoutControlCharacters() {
        printer(Printer.Format.TEXT).members(Map.of("name", HOSTILE));
        assertThat(out.toString().lines()).containsExactly("name  a.[2J.b..");
    }

    @Test
    void aSentenceMayHaveLinesAndTabs() {
        printer(Printer.Format.TEXT).sentence(HOSTILE);
        assertThat(out.toString().lines()).containsExactly("a.[2J", "b\t.");
    }

    @Test
    void programsGetWhatIsThere() throws Exception {
        printer(Printer.Format.JSON).rows(List.of(HOSTILE), List.of(Column.text("Name", "name", name -> name)), "");
        List<?> rows = Json.read(out.toString(), List.class);
        assertThat(rows).isEqualTo(List.of(Map.of("name", HOSTILE)));
    }
}
