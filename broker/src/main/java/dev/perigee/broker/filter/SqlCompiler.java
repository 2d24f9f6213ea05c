package dev.perigee.broker.filter;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.filter.parser.Sql92Lexer;
import dev.perigee.broker.filter.parser.Sql92Parser;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.Vocabulary;
import org.antlr.v4.runtime.misc.IntervalSet;
import org.jspecify.annotations.Nullable;

/**
 * Turns the text of an SQL92 expression into a filter. The limits keep the work of one text within a few milliseconds and its
 * recursion within the stack; a text beyond one is refused with code 23 and the limit.
 */
final class SqlCompiler {
    /** Characters of an expression. */
    static final int MAX_LENGTH = 32 << 10;

    /** Words, signs and literals of an expression, commas aside. */
    static final int MAX_TOKENS = 2_000;

    /** Parentheses, signs and NOTs one inside the other. */
    static final int MAX_NESTING = 100;

    private static final String REFUSED = "parse the consumer's subscription failed: ";

    private SqlCompiler() {}

    /** The filter, or why the text is none. From any thread. */
    static FilterResult compile(String expression) {
        if (expression.length() > MAX_LENGTH) {
            return refused("an SQL92 expression has " + expression.length() + " characters, limit " + MAX_LENGTH);
        }
        try {
            return new FilterResult.Usable(new SqlFilter(parse(expression)));
        } catch (BadSql e) {
            return refused(String.valueOf(e.getMessage()));
        }
    }

    private static FilterResult refused(String why) {
        return new FilterResult.Unusable(new Refusal(ResponseCode.SUBSCRIPTION_PARSE_FAILED, REFUSED + why));
    }

    private static Operand.Condition parse(String expression) {
        Sql92Lexer lexer = new Sql92Lexer(CharStreams.fromString(expression));
        lexer.removeErrorListeners();
        CommonTokenStream tokens = new CommonTokenStream(lexer);
        tokens.fill();
        checkSize(tokens.getTokens());
        Sql92Parser parser = new Sql92Parser(tokens);
        parser.removeErrorListeners();
        parser.addErrorListener(new FirstError());
        return TreeBuilder.build(parser.expression());
    }

    /** Before the parser, which goes one deeper for each level, so that it cannot run out of stack. */
    private static void checkSize(List<Token> tokens) {
        int[] opened = new int[MAX_NESTING + 1]; // depth outside of each open parenthesis
        int parentheses = 0;
        int depth = 0;
        int count = 0;
        for (Token token : tokens) {
            count += token.getType() == Sql92Lexer.COMMA || token.getType() == Token.EOF ? 0 : 1;
            if (count > MAX_TOKENS) {
                throw BadSql.at(token, "the expression has more words and signs than the limit of " + MAX_TOKENS);
            }
            switch (token.getType()) {
                case Sql92Lexer.OPEN -> {
                    opened[parentheses++] = depth;
                    depth++;
                }
                case Sql92Lexer.CLOSE -> {
                    parentheses = Math.max(0, parentheses - 1);
                    depth = opened[parentheses];
                }
                case Sql92Lexer.NOT, Sql92Lexer.MINUS, Sql92Lexer.PLUS -> depth++;
                default ->
                    depth = parentheses == 0
                            ? 0
                            : opened[parentheses - 1] + 1; // whatever had signs before it ends here
            }
            if (depth > MAX_NESTING) {
                throw BadSql.at(token, "the expression is nested deeper than " + MAX_NESTING);
            }
        }
    }

    /** Ends the parsing at the first thing that does not fit. */
    private static final class FirstError extends BaseErrorListener {
        @Override
        public void syntaxError(
                Recognizer<?, ?> recognizer,
                Object offending,
                int line,
                int column,
                String message,
                @Nullable RecognitionException cause) {
            Token token = (Token) offending;
            if (token.getType() == Sql92Lexer.UNCLOSED) {
                throw BadSql.at(token, "the text is not closed by a '");
            }
            throw BadSql.at(token, "expected " + expected((Parser) recognizer, cause));
        }

        private static String expected(Parser parser, @Nullable RecognitionException cause) {
            IntervalSet wanted = cause == null ? parser.getExpectedTokens() : cause.getExpectedTokens();
            Set<String> names = new LinkedHashSet<>();
            for (int type : wanted.toList()) {
                names.add(name(type, parser.getVocabulary()));
            }
            return String.join(", ", names);
        }

        private static String name(int type, Vocabulary words) {
            return switch (type) {
                case Token.EOF -> "the end";
                case Sql92Lexer.WHOLE, Sql92Lexer.FRACTION -> "a number";
                case Sql92Lexer.TEXT -> "a text";
                case Sql92Lexer.NAME -> "a property";
                default -> words.getDisplayName(type).replace("'", "");
            };
        }
    }
}
