package dev.perigee.broker.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.rpc.ResponseCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What an SQL92 expression means, and which are refused with which words. */
final class SqlFilterTest {
    /** A stock broker refuses these for what looks like a slip: it takes the smallest number for the lowest. */
    private static final Set<String> TAKEN_HERE_ONLY =
            Set.of("a = 0.0", "a > 0.0", "a < 0.0", "a = -0.0", "a > -0.0", "a < -0.0", "a = 1e-400");

    /** A stock broker reads a property in 32 bits where the number beside it fits into them, and fails beyond. */
    private static final Set<String> BEYOND_32_BITS =
            Set.of("9223372036854775807", "-9223372036854775808", "9223372036854775806", "2147483648", "-2147483649");

    @Test
    void everyExpressionMeansWhatItMeansOnAStockBroker() throws IOException {
        List<String> different = new ArrayList<>();
        int compared = 0;
        for (String line : table()) {
            String[] columns = line.split("\t", -1);
            if (columns.length == 3 && !TAKEN_HERE_ONLY.contains(columns[0])) {
                compared++;
                String here = verdict(plain(columns[0]), properties(columns[1]));
                String there = columns[2].equals("cut")
                        ? "bad"
                        : columns[2]; // what would be passed over there is refused here
                boolean beyond = there.equals("fails")
                        && BEYOND_32_BITS.contains(columns[1].substring(columns[1].indexOf('=') + 1));
                if (!here.equals(there) && !beyond) {
                    different.add(line + " but here " + here);
                }
            }
        }
        assertThat(different).isEmpty();
        assertThat(compared).isGreaterThan(2_000);
    }

    @Test
    void wholeNumbersAreComparedIn64Bits() {
        assertThat(verdict("a > 1", Map.of("a", "1760000000000"))).isEqualTo("yes");
        assertThat(verdict("a > 1", Map.of("a", "-2147483649"))).isEqualTo("no");
        assertThat(verdict("a < 9223372036854775807", Map.of("a", "9223372036854775806")))
                .isEqualTo("yes");
        assertThat(verdict("a > 1", Map.of("a", "9223372036854775808"))).isEqualTo("fails");
    }

    @Test
    void numbersNearZeroAreTaken() {
        for (String expression : TAKEN_HERE_ONLY) {
            assertThat(SqlCompiler.compile(expression)).as(expression).isInstanceOf(FilterResult.Usable.class);
        }
        assertThat(verdict("a > 0.0", Map.of("a", "0.1"))).isEqualTo("yes");
        assertThat(verdict("a = 0.0", Map.of("a", "0"))).isEqualTo("yes");
    }

    @Test
    void aRefusalSaysWhereAndWhatWasExpected() {
        assertThat(refusal("a = 1 ANDD b = 2"))
                .contains("line 1:7 near 'ANDD': expected ")
                .contains("AND");
        assertThat(refusal("a >")).contains("line 1:4 near its end: expected ").contains("a number", "a property");
        assertThat(refusal("a = 1\nAND a = 'x")).contains("line 2:9 near ''x': the text is not closed by a '");
        assertThat(refusal("a ? 1")).contains("line 1:3 near '?'");
        assertThat(refusal("a IN (1)")).contains("line 1:7 near '1': expected a text");
        assertThat(refusal("a > 'x'")).contains("line 1:5 near ''x'': only numbers and properties");
        assertThat(refusal("a = NULL")).contains("use IS NULL");
        assertThat(refusal("a BETWEEN 3 AND 1")).contains("near '3'").contains("empty");
        assertThat(refusal("a = 1 AND 2")).contains("line 1:11 near '2': expected a condition");
        assertThat(refusal("a > 9223372036854775808")).contains("whole numbers go up to 9223372036854775807");
        assertThat(refusal("")).contains("line 1:1 near its end");
        assertThat(refusal("b = '" + "x".repeat(200))).hasSizeLessThan(300);
    }

    @Test
    void everyLimitIsNamedWhereItIsPassed() {
        assertThat(verdict("a = '" + "x".repeat(SqlCompiler.MAX_LENGTH - 6) + "'", Map.of("a", "y")))
                .isEqualTo("no");
        assertThat(refusal("a = '" + "x".repeat(SqlCompiler.MAX_LENGTH - 5) + "'"))
                .contains((SqlCompiler.MAX_LENGTH + 1) + " characters, limit " + SqlCompiler.MAX_LENGTH);
        String terms = "a=1" + " OR a=1".repeat(SqlCompiler.MAX_TOKENS / 4 - 1);
        assertThat(verdict(terms, Map.of("a", "1"))).isEqualTo("yes");
        assertThat(refusal(terms + " OR a=1")).contains("limit of " + SqlCompiler.MAX_TOKENS);
        String list = "'x',".repeat(TreeBuilder.MAX_IN - 1);
        assertThat(verdict("a IN (" + list + "'z')", Map.of("a", "z"))).isEqualTo("yes");
        assertThat(refusal("a IN (" + list + "'y','z')"))
                .contains((TreeBuilder.MAX_IN + 1) + " texts, limit " + TreeBuilder.MAX_IN);
        assertThat(refusal("a = b" + " = b".repeat(TreeBuilder.MAX_CHAIN))).contains("limit " + TreeBuilder.MAX_CHAIN);
    }

    @Test
    void deepNestingIsRefusedBeforeItCanRunOutOfStack() {
        int most = SqlCompiler.MAX_NESTING;
        assertThat(verdict("(".repeat(most) + "a = 1" + ")".repeat(most), Map.of("a", "1")))
                .isEqualTo("yes");
        assertThat(refusal("(".repeat(most + 1) + "a = 1" + ")".repeat(most + 1)))
                .contains("nested deeper than " + most);
        assertThat(verdict("NOT ".repeat(most) + "TRUE", Map.of())).isEqualTo("yes");
        assertThat(refusal("NOT ".repeat(most + 1) + "TRUE")).contains("nested deeper than " + most);
        assertThat(refusal("a = " + "- ".repeat(most + 1) + "1")).contains("nested deeper than " + most);
        assertThat(refusal("NOT (".repeat(most / 2 + 1) + "TRUE" + ")".repeat(most / 2 + 1)))
                .contains("nested deeper than " + most);
        assertThat(verdict("(NOT TRUE) OR ".repeat(150) + "TRUE", Map.of())).isEqualTo("yes"); // one after the other
        assertThat(refusal(")".repeat(500))).contains("line 1:1 near ')'");
    }

    private static String refusal(String expression) {
        FilterResult result = SqlCompiler.compile(expression);
        assertThat(result).as(expression).isInstanceOf(FilterResult.Unusable.class);
        FilterResult.Unusable unusable = (FilterResult.Unusable) result;
        assertThat(unusable.refusal().code()).isEqualTo(ResponseCode.SUBSCRIPTION_PARSE_FAILED);
        return unusable.refusal().remark();
    }

    private static String verdict(String expression, Map<String, String> properties) {
        if (!(SqlCompiler.compile(expression) instanceof FilterResult.Usable usable)) {
            return "bad";
        }
        SqlFilter filter = (SqlFilter) usable.filter();
        Truth truth = filter.test(properties::get);
        assertThat(filter.takes(properties::get)).isEqualTo(truth == Truth.TRUE);
        return switch (truth) {
            case TRUE -> "yes";
            case FALSE -> "no";
            case UNKNOWN -> "unknown";
            case BROKEN -> "fails";
        };
    }

    private static List<String> table() throws IOException {
        try (InputStream in = Objects.requireNonNull(SqlFilterTest.class.getResourceAsStream("/sql-oracle.tsv"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private static Map<String, String> properties(String column) {
        Map<String, String> properties = new HashMap<>();
        for (String pair : column.split(";")) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                properties.put(plain(pair.substring(0, equals)), plain(pair.substring(equals + 1)));
            }
        }
        return properties;
    }

    private static String plain(String escaped) {
        return escaped.replace("\\n", "\n").replace("\\t", "\t");
    }
}
