package dev.perigee.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a simulation runs walks no set and no map in an order that every JVM draws anew: those of {@code Set.of} and its kind.
 * Constants may be such ones, for they are looked up in.
 */
@AnalyzeClasses(packages = "dev.perigee", importOptions = ImportOption.DoNotIncludeTests.class)
final class OrderIsTheSameTest {
    private static final int ONE_PAIR = 2;
    private static final String[] SIMULATED = {
        "dev.perigee.loop..",
        "dev.perigee.protocol..",
        "dev.perigee.remoting..",
        "dev.perigee.store..",
        "dev.perigee.raft..",
        "dev.perigee.replica..",
        "dev.perigee.group..",
        "dev.perigee.broker..",
        "dev.perigee.namesrv..",
        "dev.perigee.client.."
    };

    @ArchTest
    static final ArchRule copiesKeepTheirOrder = noClasses()
            .that()
            .resideInAnyPackage(SIMULATED)
            .should()
            .callMethodWhere(
                    DescribedPredicate.describe("makes a set or map without order", OrderIsTheSameTest::losesOrder))
            .because("InOrder.copyOf keeps it, and a simulation takes the same course in every JVM");

    private static boolean losesOrder(JavaCall<?> call) {
        String method = call.getTarget().getName();
        int parameters = call.getTarget().getRawParameterTypes().size();
        boolean isConstant = call.getOrigin().getName().equals("<clinit>");
        if (call.getTargetOwner().isEquivalentTo(Collectors.class)) {
            return method.startsWith("toUnmodifiableSet") || method.startsWith("toUnmodifiableMap");
        }
        if (call.getTargetOwner().isEquivalentTo(Set.class)) {
            return method.equals("copyOf") || (method.equals("of") && isMany(call, parameters, 1) && !isConstant);
        }
        if (call.getTargetOwner().isEquivalentTo(Map.class)) {
            boolean isMade = method.equals("ofEntries") || (method.equals("of") && parameters > ONE_PAIR);
            return method.equals("copyOf") || (isMade && !isConstant);
        }
        return false;
    }

    private static boolean isMany(JavaCall<?> call, int parameters, int most) {
        return parameters > most
                || call.getTarget().getRawParameterTypes().stream().anyMatch(type -> type.isArray());
    }
}
