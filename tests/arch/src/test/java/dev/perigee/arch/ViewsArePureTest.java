package dev.perigee.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.io.File;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;

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
    private static final Set<String> FORBIDDEN_CALLS = Set.of(
            "java.lang.System.currentTimeMillis",
            "java.lang.System.nanoTime",
            "java.lang.Math.random",
            "java.lang.StrictMath.random",
            "java.time.Instant.now",
            "java.time.LocalDate.now",
            "java.time.LocalDateTime.now",
            "java.time.ZonedDateTime.now",
            "java.util.UUID.randomUUID");

    /** Where a view ends: what it reaches files, its database and the log through. What lies behind may block and look at clocks. */
    private static final Set<String> SEAMS =
            Set.of("dev.perigee.store.disk", "dev.perigee.store.kv", "dev.perigee.store.log");

    @ArchTest
    static void viewsAndWhatTheyAreMadeOfAreDeterministic(JavaClasses all) {
        Set<String> parts = partsOfViews(all);
        noClasses()
                .that(DescribedPredicate.describe(
                        "are views or what views hold", type -> parts.contains(type.getName())))
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are clocks, chance, threads or files", type -> FORBIDDEN.contains(type.getName())))
                .orShould()
                .callMethodWhere(DescribedPredicate.describe(
                        "the clock is read or dice are thrown",
                        call -> FORBIDDEN_CALLS.contains(call.getTargetOwner().getName() + "." + call.getName())))
                .check(all);
    }

    @ArchTest
    static void whatViewsHoldIsLookedAtToo(JavaClasses all) {
        assertThat(partsOfViews(all))
                .contains(
                        "dev.perigee.store.queue.ConsumeQueueView",
                        "dev.perigee.store.queue.ConsumeQueue",
                        "dev.perigee.store.index.IndexFile",
                        "dev.perigee.broker.timer.TimerView",
                        "dev.perigee.broker.timer.TimerEntries",
                        "dev.perigee.broker.transaction.Outcomes",
                        "dev.perigee.broker.carry.LivePlaces",
                        "dev.perigee.broker.fact.Claims")
                .noneMatch(name -> name.startsWith("dev.perigee.store.log."));
    }

    /** Views, and by their fields, whatever those are made of, all of our classes that they hold, up to the seams. */
    private static Set<String> partsOfViews(JavaClasses all) {
        Set<String> parts = new TreeSet<>();
        Deque<JavaClass> open = new ArrayDeque<>();
        all.stream().filter(ViewsArePureTest::isView).forEach(open::add);
        while (!open.isEmpty()) {
            JavaClass type = open.remove();
            if (parts.add(type.getName())) {
                type.getFields().stream()
                        .flatMap(field -> field.getAllInvolvedRawTypes().stream())
                        .filter(ViewsArePureTest::isPart)
                        .forEach(open::add);
            }
        }
        return parts;
    }

    private static boolean isPart(JavaClass type) {
        return type.getPackageName().startsWith("dev.perigee.") && !SEAMS.contains(type.getPackageName());
    }

    private static boolean isView(JavaClass type) {
        return !type.isInterface()
                && type.getAllRawInterfaces().stream()
                        .anyMatch(i -> i.getSimpleName().equals("LogView"));
    }
}
