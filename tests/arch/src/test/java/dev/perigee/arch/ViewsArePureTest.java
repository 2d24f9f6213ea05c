package dev.perigee.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.File;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Set;

/** ARCHITECTURE.md §1.5: views know no clock, no chance, no thread, and reach files only through {@code Disk}. */
@AnalyzeClasses(packages = "dev.perigee", importOptions = ImportOption.DoNotIncludeTests.class)
final class ViewsArePureTest {
    private static final Set<String> FORBIDDEN = Set.of(
            "dev.perigee.loop.Clock",
            "java.util.Random",
            "java.util.SplittableRandom",
            "java.util.concurrent.ThreadLocalRandom",
            "java.security.SecureRandom",
            "java.lang.Thread",
            "java.util.concurrent.Executor",
            "java.util.concurrent.ExecutorService",
            "java.time.Clock",
            File.class.getName(),
            Path.class.getName(),
            FileChannel.class.getName());

    @ArchTest
    static final ArchRule viewsAreDeterministic = noClasses()
            .that(areViews())
            .should()
            .dependOnClassesThat(DescribedPredicate.describe(
                    "are clocks, chance, threads or files", type -> FORBIDDEN.contains(type.getName())))
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime");

    private static DescribedPredicate<JavaClass> areViews() {
        return DescribedPredicate.describe(
                "implement LogView",
                type -> !type.isInterface()
                        && type.getAllRawInterfaces().stream()
                                .anyMatch(i -> i.getSimpleName().equals("LogView")));
    }
}
