package dev.perigee.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;

/** ARCHITECTURE.md §5, ADR 0002 and 0028: consensus knows no clock, no chance, no thread, no file, and of our other modules the words for who owns what. */
@AnalyzeClasses(packages = "dev.perigee.raft", importOptions = ImportOption.DoNotIncludeTests.class)
final class RaftIsPureTest {
    private static final Set<String> PACKAGES = Set.of(
            "java.lang",
            "java.lang.runtime",
            "java.util",
            "java.util.function",
            "java.util.stream",
            "java.util.zip",
            "java.nio");
    private static final Set<String> CHARSETS = Set.of("java.nio.charset.StandardCharsets", "java.nio.charset.Charset");
    private static final Set<String> FORBIDDEN = Set.of(
            "java.lang.Thread",
            "java.lang.ThreadLocal",
            "java.lang.Process",
            "java.lang.Runtime",
            "java.lang.System",
            "java.util.Random",
            "java.util.SplittableRandom",
            "java.util.UUID",
            "java.util.Timer",
            "java.util.Date");
    private static final Set<String> OWNERSHIP = Set.of("dev.perigee.loop.Immutable", "dev.perigee.loop.OwnedBy");

    @ArchTest
    static final ArchRule raftIsAFunctionOfWhatItIsTold = classes()
            .should()
            .onlyDependOnClassesThat(DescribedPredicate.describe(
                    "neither know what time it is, nor wait, nor reach outside", RaftIsPureTest::isHarmless));

    private static boolean isHarmless(JavaClass type) {
        JavaClass element = type.getBaseComponentType();
        String name = element.getName();
        String of = element.getPackageName();
        return element.isPrimitive()
                || of.startsWith("dev.perigee.raft")
                || of.equals("org.jspecify.annotations")
                || OWNERSHIP.contains(name)
                || CHARSETS.contains(name)
                || (PACKAGES.contains(of) && !FORBIDDEN.contains(name));
    }
}
