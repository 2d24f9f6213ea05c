package dev.perigee.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Who may know whom: the module table of ARCHITECTURE.md §2. */
@AnalyzeClasses(packages = "dev.perigee", importOptions = ImportOption.DoNotIncludeTests.class)
final class ModuleArrowsTest {
    private static final String JDK = "java..";
    /** An exported, documented part of the JDK: what the machine has. */
    private static final String JDK_MANAGEMENT = "com.sun.management..";

    private static final String NULL_WORDS = "org.jspecify..";
    private static final String LOGGING = "org.slf4j..";

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.perigee.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule onlyRemotingSeesNetty = noClasses()
            .that()
            .resideOutsideOfPackage("dev.perigee.remoting..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..");

    /** It is optional there: whatever else saw it would fail in programs that use only the client. */
    @ArchTest
    static final ArchRule onlyTheEndpointOfRemotingSeesPrometheus = noClasses()
            .that()
            .resideInAPackage("dev.perigee.remoting..")
            .and()
            .resideOutsideOfPackage("dev.perigee.remoting.metrics..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.prometheus..");

    /** It is optional: whatever else saw it would fail in programs that do not bring it (ADR 0021). */
    @ArchTest
    static final ArchRule onlyOnePackageOfTheClientSeesOpenTelemetry = noClasses()
            .that()
            .resideOutsideOfPackage("dev.perigee.client.otel..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.opentelemetry..");

    @ArchTest
    static final ArchRule onlyTheStoresOfViewsSeeRocksDb = noClasses()
            .that()
            .resideOutsideOfPackage("dev.perigee.store.kv..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.rocksdb..");

    @ArchTest
    static void everyModuleDependsOnlyOnWhatItsRowNames(JavaClasses all) {
        onlyDependsOn("loop", LOGGING).check(all);
        onlyDependsOn("protocol", "dev.perigee.loop..", "com.alibaba.fastjson2..")
                .check(all);
        onlyDependsOn("raft", "dev.perigee.loop..").check(all);
        onlyDependsOn(
                        "remoting",
                        "dev.perigee.loop..",
                        "dev.perigee.protocol..",
                        "io.netty..",
                        "io.prometheus..",
                        "javax.net..",
                        "javax.crypto..",
                        "org.bouncycastle..",
                        "org.jctools..",
                        LOGGING)
                .check(all);
        onlyDependsOn(
                        "store",
                        "dev.perigee.loop..",
                        "dev.perigee.protocol..",
                        "org.jctools..",
                        "org.rocksdb..",
                        LOGGING)
                .check(all);
        onlyDependsOn(
                        "namesrv",
                        "dev.perigee.loop..",
                        "dev.perigee.protocol..",
                        "dev.perigee.remoting..",
                        "io.prometheus..",
                        LOGGING)
                .check(all);
        onlyDependsOn(
                        "replica",
                        "dev.perigee.loop..",
                        "dev.perigee.protocol..",
                        "dev.perigee.remoting..",
                        "dev.perigee.store..",
                        LOGGING)
                .check(all);
        onlyDependsOn(
                        "group",
                        "dev.perigee.loop..",
                        "dev.perigee.protocol..",
                        "dev.perigee.remoting..",
                        "dev.perigee.store..",
                        "dev.perigee.raft..",
                        "dev.perigee.replica..",
                        LOGGING)
                .check(all);
        onlyDependsOn(
                        "broker",
                        "dev.perigee.loop..",
                        "dev.perigee.protocol..",
                        "dev.perigee.remoting..",
                        "dev.perigee.store..",
                        "dev.perigee.replica..",
                        "dev.perigee.group..",
                        "io.prometheus..",
                        "org.antlr..",
                        JDK_MANAGEMENT,
                        LOGGING)
                .check(all);
        onlyDependsOn(
                        "client",
                        "dev.perigee.loop..",
                        "dev.perigee.protocol..",
                        "dev.perigee.remoting..",
                        "org.jctools..",
                        "net.jpountz..",
                        "com.github.luben..",
                        "io.opentelemetry..",
                        LOGGING)
                .check(all);
        onlyDependsOn(
                        "cli",
                        "dev.perigee.loop..",
                        "dev.perigee.protocol..",
                        "dev.perigee.remoting..",
                        "dev.perigee.client..",
                        "picocli..",
                        "com.github.freva..",
                        "me.tongfei..",
                        LOGGING)
                .check(all);
    }

    private static ArchRule onlyDependsOn(String module, String... others) {
        String own = "dev.perigee." + module + "..";
        String[] allowed = new String[others.length + 3];
        System.arraycopy(others, 0, allowed, 0, others.length);
        allowed[others.length] = own;
        allowed[others.length + 1] = JDK;
        allowed[others.length + 2] = NULL_WORDS;
        return classes()
                .that()
                .resideInAPackage(own)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed)
                .as("module " + module + " depends only on what its row in ARCHITECTURE.md names")
                .allowEmptyShould(true);
    }
}
