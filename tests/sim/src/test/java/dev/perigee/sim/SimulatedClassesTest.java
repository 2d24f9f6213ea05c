package dev.perigee.sim;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The simulation runs the product: what of it is made here is listed, and nothing of it is made a second time. */
final class SimulatedClassesTest {
    private static final String PRODUCT = "dev.perigee.";
    private static final String SIMULATION = "dev.perigee.sim.";

    /** What stands in the place of the outside world: clock, network, disk and threads that wait for it, and what a user of a client writes. */
    private static final Set<String> SEAMS = Set.of(
            "dev.perigee.client.listener.MessageListener",
            "dev.perigee.client.listener.OrderlyMessageListener",
            "dev.perigee.client.transaction.TransactionListener",
            "dev.perigee.loop.Clock",
            "dev.perigee.loop.Loop",
            "dev.perigee.remoting.transport.Link",
            "dev.perigee.remoting.transport.LinkEvents",
            "dev.perigee.remoting.transport.LoopExecutor",
            "dev.perigee.remoting.transport.Transport");

    /** Servers, brokers and clients as in production; the rest asks them, or reads what they wrote. */
    private static final Set<String> MADE = Set.of(
            "dev.perigee.broker.Broker",
            "dev.perigee.broker.BrokerSeams",
            "dev.perigee.namesrv.NameServer",
            "dev.perigee.remoting.RemotingClient",
            "dev.perigee.remoting.memory.MemoryTransport",
            "dev.perigee.store.disk.CrashingDisk",
            "dev.perigee.store.disk.DyingDisk",
            "dev.perigee.store.kv.MemoryViewStores",
            "dev.perigee.store.log.LogReader",
            "dev.perigee.store.view.LogEntry");

    /** How clients are made. */
    private static final Set<String> BUILT = Set.of(
            "dev.perigee.client.consumer.PushConsumerBuilder",
            "dev.perigee.client.producer.ProducerBuilder",
            "dev.perigee.client.pull.PullConsumerBuilder",
            "dev.perigee.client.transaction.TransactionProducerBuilder");

    private static final Path ROOT = Path.of("..", "..");

    /** People have these names. */
    private static final Set<String> PEOPLE = Set.of("Member", "Members", "Sender");

    private static final JavaClasses CLASSES = imported();

    /** What is not in the simulation is known by its name only; to look it up takes ten times as long. */
    private static JavaClasses imported() {
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        try {
            return new ClassFileImporter().importPackages("dev.perigee.sim");
        } finally {
            ArchConfiguration.get().reset();
        }
    }

    private static Stream<JavaClass> simulated() {
        return CLASSES.stream().filter(type -> type.getName().startsWith(SIMULATION));
    }

    private static boolean isProduct(JavaClass type) {
        return type.getName().startsWith(PRODUCT) && !type.getName().startsWith(SIMULATION);
    }

    @Test
    void whatRunsIsMadeOfTheProductsOwnClasses() {
        Set<String> made = simulated()
                .flatMap(type -> type.getConstructorCallsFromSelf().stream())
                .map(call -> call.getTargetOwner())
                .filter(SimulatedClassesTest::isProduct)
                .filter(type -> !isData(type))
                .map(JavaClass::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(made).isEqualTo(new TreeSet<>(MADE));

        Set<String> built = simulated()
                .flatMap(type -> type.getMethodCallsFromSelf().stream())
                .filter(call -> call.getName().equals("build"))
                .map(call -> call.getTargetOwner().getName())
                .filter(name -> name.startsWith("dev.perigee.client."))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(built).isEqualTo(new TreeSet<>(BUILT));
    }

    /** Headers and messages that are sent. */
    private static boolean isData(JavaClass type) {
        return type.getPackageName().startsWith("dev.perigee.protocol.");
    }

    @Test
    void onlySeamsAreFilledInAndNothingIsExtended() {
        Set<String> filled = simulated()
                .flatMap(type -> Stream.concat(type.getRawInterfaces().stream(), type.getRawSuperclass().stream()))
                .filter(SimulatedClassesTest::isProduct)
                .map(JavaClass::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(filled).isEqualTo(new TreeSet<>(SEAMS));
    }

    @Test
    void nothingHereIsNamedAsAClassOfTheProduct() throws Exception {
        Set<String> names = new TreeSet<>();
        for (String module :
                List.of("loop", "protocol", "remoting", "store", "replica", "broker", "namesrv", "client")) {
            try (Stream<Path> sources = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                sources.map(source -> source.getFileName().toString())
                        .filter(name -> name.endsWith(".java") && !name.equals("package-info.java"))
                        .forEach(name -> names.add(name.substring(0, name.indexOf('.'))));
            }
        }
        names.removeAll(PEOPLE);
        assertThat(simulated().filter(JavaClass::isTopLevelClass).map(JavaClass::getSimpleName))
                .doesNotContainAnyElementsOf(names)
                .isNotEmpty();
        assertThat(names).contains("Broker", "LogLoop", "ViewLoop", "Flusher", "Preparer", "PushConsumer");
    }
}
