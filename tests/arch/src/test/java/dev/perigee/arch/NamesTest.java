package dev.perigee.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** STYLE.md rule 1: names that say nothing are not taken. Compared with the last word of a hand-written class. */
@AnalyzeClasses(packages = "dev.perigee", importOptions = ImportOption.DoNotIncludeTests.class)
final class NamesTest {
    @ArchTest
    static final ArchRule noClassHasAnEmptyName = noClasses()
            .that()
            .resideOutsideOfPackage("..parser..")
            .should()
            .haveNameMatching(".*(Manager|Helper|Utils?|Impl|Base|Context)")
            .orShould()
            .haveNameMatching(".*\\.Abstract[A-Z].*");

    @ArchTest
    static final ArchRule nobodyPrintsExceptTheCommandLine = noClasses()
            .that()
            .resideOutsideOfPackages("dev.perigee.cli..", "dev.perigee.dist..", "dev.perigee.bench..")
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err");
}
