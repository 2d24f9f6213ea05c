package dev.perigee.sim;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** A test of seeds one by one: of so many from the first on, or only of the one that {@code -Dsim.seed=N} asks for. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "seed {0}")
@ArgumentsSource(Seeded.Seeds.class)
@interface Seeded {
    /** The first seed. */
    long first() default 0;

    /** How many there are. */
    long count();

    /** The seeds. */
    final class Seeds implements ArgumentsProvider, AnnotationConsumer<Seeded> {
        private static final String ONE_SEED = "sim.seed";

        private LongStream seeds = LongStream.empty();

        @Override
        public void accept(Seeded asked) {
            Long one = Long.getLong(ONE_SEED);
            seeds = one != null ? LongStream.of(one) : LongStream.range(asked.first(), asked.first() + asked.count());
        }

        @Override
        public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
            return seeds.mapToObj(Arguments::of);
        }
    }
}
