package dev.perigee.stock.oracle;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.rocketmq.broker.filter.MessageEvaluationContext;
import org.apache.rocketmq.filter.FilterFactory;
import org.apache.rocketmq.filter.expression.Expression;
import org.apache.rocketmq.filter.expression.MQFilterException;

/**
 * Says what a stock broker makes of SQL92 expressions. Reads lines {@code expression TAB properties} from stdin, the properties as
 * {@code name=value} joined by {@code ;}, and writes each with a third column; further columns of a line are left out.
 * {@code \n} and {@code \t} stand for those characters. The third column is one of
 *
 * <ul>
 *   <li>{@code yes}, {@code no}, {@code unknown}: what it comes to; only with {@code yes} is the message delivered;
 *   <li>{@code fails}: a property cannot be read as it should be; the broker logs it and does not deliver;
 *   <li>{@code bad}: the expression is refused;
 *   <li>{@code cut}: only the beginning of the expression is read and the rest passed over in silence.
 * </ul>
 */
public final class SqlOracle {
    /** Appended to an expression that is read to its end, it makes the broker complain of the 1. */
    private static final String END = " ) AND 1";

    private static final String END_SEEN = "boolean value: 1";

    private SqlOracle() {}

    /** No arguments. */
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] columns = line.split("\t", -1);
            out.println(
                    columns.length < 2
                            ? line
                            : columns[0] + "\t" + columns[1] + "\t"
                                    + verdict(plain(columns[0]), properties(columns[1])));
        }
    }

    private static String verdict(String expression, Map<String, String> properties) {
        try {
            Expression compiled = compile(expression);
            return readsToTheEnd(expression) ? verdict(compiled, properties) : "cut";
        } catch (MQFilterException | RuntimeException | Error refused) {
            return "bad";
        }
    }

    private static String verdict(Expression compiled, Map<String, String> properties) {
        try {
            Object value = compiled.evaluate(new MessageEvaluationContext(properties));
            return value == null ? "unknown" : Boolean.TRUE.equals(value) ? "yes" : "no";
        } catch (Exception thrown) {
            return "fails";
        }
    }

    private static boolean readsToTheEnd(String expression) {
        try {
            compile("(" + expression + END);
            return false;
        } catch (MQFilterException | RuntimeException | Error refused) {
            return String.valueOf(refused.getMessage()).contains(END_SEEN);
        }
    }

    private static Expression compile(String expression) throws MQFilterException {
        return FilterFactory.INSTANCE.get("SQL92").compile(expression);
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
