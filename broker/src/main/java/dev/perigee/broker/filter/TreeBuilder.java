package dev.perigee.broker.filter;

import dev.perigee.broker.filter.Operand.Condition;
import dev.perigee.broker.filter.Operand.Literal;
import dev.perigee.broker.filter.Operand.Negative;
import dev.perigee.broker.filter.Operand.Property;
import dev.perigee.broker.filter.parser.Sql92Parser.ComparisonContext;
import dev.perigee.broker.filter.parser.Sql92Parser.ComparisonTailContext;
import dev.perigee.broker.filter.parser.Sql92Parser.ConditionContext;
import dev.perigee.broker.filter.parser.Sql92Parser.ConjunctionContext;
import dev.perigee.broker.filter.parser.Sql92Parser.EqualityContext;
import dev.perigee.broker.filter.parser.Sql92Parser.EqualityTailContext;
import dev.perigee.broker.filter.parser.Sql92Parser.ExpressionContext;
import dev.perigee.broker.filter.parser.Sql92Parser.PrimaryContext;
import dev.perigee.broker.filter.parser.Sql92Parser.UnaryContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.TerminalNode;

/** Turns a parsed expression into conditions, and refuses what is well formed but makes no sense, by the rules of stock brokers. */
final class TreeBuilder {
    /** Texts of one IN. */
    static final int MAX_IN = 1_000;

    /** Comparisons of comparisons without parentheses, as in {@code a = b = TRUE}. */
    static final int MAX_CHAIN = 100;

    private TreeBuilder() {}

    static Condition build(ExpressionContext expression) {
        return asCondition(build(expression.condition()), expression.condition());
    }

    private static Operand build(ConditionContext or) {
        List<ConjunctionContext> parts = or.conjunction();
        if (parts.size() == 1) {
            return build(parts.get(0));
        }
        List<Condition> conditions = new ArrayList<>();
        parts.forEach(part -> conditions.add(asCondition(build(part), part)));
        return Conditions.anyOf(conditions);
    }

    private static Operand build(ConjunctionContext and) {
        List<EqualityContext> parts = and.equality();
        if (parts.size() == 1) {
            return build(parts.get(0));
        }
        List<Condition> conditions = new ArrayList<>();
        parts.forEach(part -> conditions.add(asCondition(build(part), part)));
        return Conditions.allOf(conditions);
    }

    private static Operand build(EqualityContext equality) {
        checkChain(equality.equalityTail());
        Operand left = build(equality.comparison());
        for (EqualityTailContext tail : equality.equalityTail()) {
            if (tail.IS() != null) {
                left = tail.NOT() == null ? Conditions.isNull(left) : Conditions.not(Conditions.isNull(left));
            } else {
                Operand right = build(tail.comparison());
                checkEquality(left, right, tail);
                Condition equal = Conditions.equal(left, right);
                left = tail.EQUAL() != null ? equal : Conditions.not(equal);
            }
        }
        return left;
    }

    private static void checkEquality(Operand left, Operand right, EqualityTailContext tail) {
        if (isNull(left) || isNull(right)) {
            throw BadSql.at(tail.getStart(), "nothing equals NULL, use IS NULL or IS NOT NULL");
        }
        if (isLiteral(left, Boolean.class) && right instanceof Literal && !isLiteral(right, Boolean.class)) {
            throw BadSql.at(tail.getStart(), "TRUE and FALSE cannot be compared with a number or a text");
        }
    }

    private static Operand build(ComparisonContext comparison) {
        checkChain(comparison.comparisonTail());
        UnaryContext first = comparison.unary();
        Operand left = build(first);
        for (ComparisonTailContext tail : comparison.comparisonTail()) {
            left = compared(left, first, tail);
        }
        return left;
    }

    private static Condition compared(Operand left, ParserRuleContext leftPlace, ComparisonTailContext tail) {
        Condition plain;
        if (tail.IN() != null) {
            plain = in(left, tail);
        } else if (tail.BETWEEN() != null) {
            return between(left, leftPlace, tail); // its NOT is no plain reversal
        } else if (tail.unary().isEmpty()) {
            return contained(left, tail); // nor is this one
        } else {
            Operand right = build(tail.unary(0));
            checkOrdered(left, leftPlace);
            checkOrdered(right, tail.unary(0));
            return Conditions.ordered(left, order(tail), right);
        }
        return tail.NOT() == null ? plain : Conditions.not(plain);
    }

    private static Values.Order order(ComparisonTailContext tail) {
        if (tail.LESS() != null) {
            return Values.Order.LESS;
        }
        if (tail.AT_MOST() != null) {
            return Values.Order.AT_MOST;
        }
        return tail.GREATER() != null ? Values.Order.GREATER : Values.Order.AT_LEAST;
    }

    private static Condition between(Operand value, ParserRuleContext valuePlace, ComparisonTailContext tail) {
        Operand low = build(tail.unary(0));
        Operand high = build(tail.unary(1));
        checkOrdered(value, valuePlace);
        checkOrdered(low, tail.unary(0));
        checkOrdered(high, tail.unary(1));
        if (tail.NOT() != null) {
            return Conditions.anyOf(List.of(
                    Conditions.ordered(value, Values.Order.LESS, low),
                    Conditions.ordered(value, Values.Order.GREATER, high)));
        }
        if (low instanceof Literal from
                && high instanceof Literal to
                && Values.Order.GREATER.test(from.value(), to.value()) == Truth.TRUE) {
            throw BadSql.at(
                    tail.unary(0).getStart(),
                    "BETWEEN " + from.value() + " AND " + to.value() + " is empty, the first is larger");
        }
        return Conditions.allOf(List.of(
                Conditions.ordered(value, Values.Order.AT_LEAST, low),
                Conditions.ordered(value, Values.Order.AT_MOST, high)));
    }

    private static Condition in(Operand value, ComparisonTailContext tail) {
        if (!(value instanceof Property property)) {
            throw BadSql.at(tail.IN().getSymbol(), "only a property can be IN a list");
        }
        if (tail.TEXT().size() > MAX_IN) {
            throw BadSql.at(
                    tail.TEXT(MAX_IN).getSymbol(), "IN lists " + tail.TEXT().size() + " texts, limit " + MAX_IN);
        }
        Set<String> texts = new HashSet<>();
        for (TerminalNode text : tail.TEXT()) {
            texts.add(text(text));
        }
        return Conditions.in(property, texts);
    }

    private static Condition contained(Operand value, ComparisonTailContext tail) {
        Conditions.Part part = tail.CONTAINS() != null
                ? Conditions.Part.ANYWHERE
                : tail.STARTSWITH() != null ? Conditions.Part.START : Conditions.Part.END;
        return Conditions.contains(value, part, text(tail.TEXT(0)), Truth.of(tail.NOT() == null));
    }

    private static Operand build(UnaryContext unary) {
        if (unary.primary() != null) {
            return build(unary.primary());
        }
        Operand of = build(unary.unary());
        if (unary.NOT() != null) {
            return Conditions.not(asCondition(of, unary.unary()));
        }
        return unary.MINUS() != null ? new Negative(of) : of;
    }

    private static Operand build(PrimaryContext primary) {
        if (primary.condition() != null) {
            return build(primary.condition());
        }
        if (primary.NAME() != null) {
            return new Property(primary.NAME().getText());
        }
        if (primary.TEXT() != null) {
            return new Literal(text(primary.TEXT()));
        }
        if (primary.WHOLE() != null) {
            return new Literal(whole(primary.WHOLE().getSymbol()));
        }
        if (primary.FRACTION() != null) {
            return new Literal(fraction(primary.FRACTION().getSymbol()));
        }
        return primary.NULL() != null ? new Literal(null) : new Literal(primary.TRUE() != null);
    }

    private static long whole(Token token) {
        String text = token.getText();
        String digits = Character.isDigit(text.charAt(text.length() - 1)) ? text : text.substring(0, text.length() - 1);
        if (!Values.isWhole(digits)) {
            throw BadSql.at(token, "whole numbers go up to " + Long.MAX_VALUE);
        }
        return Long.parseLong(digits);
    }

    private static double fraction(Token token) {
        double value = Double.parseDouble(token.getText());
        if (Double.isInfinite(value)) {
            throw BadSql.at(token, "numbers go up to " + Double.MAX_VALUE);
        }
        return value;
    }

    private static String text(TerminalNode quoted) {
        String text = quoted.getText();
        return text.substring(1, text.length() - 1).replace("''", "'");
    }

    private static Condition asCondition(Operand operand, ParserRuleContext place) {
        if (operand instanceof Condition condition) {
            return condition;
        }
        boolean mayBeTrue = operand instanceof Property || isNull(operand) || isLiteral(operand, Boolean.class);
        if (!mayBeTrue) {
            throw BadSql.at(place.getStart(), "expected a condition, this is a number or a text");
        }
        return properties -> Truth.of(operand.value(properties));
    }

    private static void checkOrdered(Operand operand, ParserRuleContext place) {
        boolean number = operand instanceof Literal literal && literal.value() instanceof Number;
        if (!number && !(operand instanceof Property) && !(operand instanceof Negative)) {
            throw BadSql.at(
                    place.getStart(),
                    "only numbers and properties can be larger or smaller than others or BETWEEN them");
        }
    }

    private static void checkChain(List<? extends ParserRuleContext> tails) {
        if (tails.size() > MAX_CHAIN) {
            throw BadSql.at(
                    tails.get(MAX_CHAIN).getStart(),
                    tails.size() + " comparisons in a row without AND or OR, limit " + MAX_CHAIN);
        }
    }

    private static boolean isNull(Operand operand) {
        return operand instanceof Literal literal && literal.value() == null;
    }

    private static boolean isLiteral(Operand operand, Class<?> type) {
        return operand instanceof Literal literal && type.isInstance(literal.value());
    }
}
