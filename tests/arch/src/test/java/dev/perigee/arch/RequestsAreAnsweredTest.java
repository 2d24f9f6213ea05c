package dev.perigee.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.perigee.remoting.Connection;

/** What a server does for a request after its handler has returned goes through the reply, which answers when it fails. */
@AnalyzeClasses(packages = "dev.perigee", importOptions = ImportOption.DoNotIncludeTests.class)
final class RequestsAreAnsweredTest {
    @ArchTest
    static final ArchRule requestsAreResumedThroughTheirReply = noClasses()
            .that()
            .resideInAnyPackage("dev.perigee.replica..", "dev.perigee.broker..", "dev.perigee.namesrv..")
            .should()
            .callMethod(Connection.class, "execute", Runnable.class)
            .because("Reply.resume guards the step: an exception there would leave the request unanswered for ever");
}
