package dev.perigee.harness.scenario;

import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.Target;
import java.util.List;
import java.util.stream.Stream;

/**
 * All scenarios, in groups that need the same abilities of the broker. Call from a {@code @TestFactory}. Within a group they may run side by
 * side.
 */
public final class StockScenarios {
    private StockScenarios() {}

    /** Sending, pulling and pushing with one stock client. */
    public static List<Scenario> messaging(StockDriver driver) {
        Bench bench = new Bench(driver);
        return named(
                driver,
                Stream.of(
                                new SendScenarios(bench).all(),
                                new PullScenarios(bench).all(),
                                new PushScenarios(bench).all())
                        .flatMap(List::stream));
    }

    /** Only sending, for clusters whose reading is shown elsewhere. */
    public static List<Scenario> sending(StockDriver driver) {
        return named(driver, new SendScenarios(new Bench(driver)).all().stream());
    }

    /** Only what mqadmin does with clusters, topics and routes. */
    public static List<Scenario> topics(StockAdmin admin, StockDriver driver, Target target) {
        return new AdminTopicScenarios(new Admin(admin, target), new Bench(driver)).all();
    }

    /** The numbered black-box checks a stock client can express and only Perigee passes. */
    public static List<Scenario> checksOfPerigee(StockDriver driver) {
        return named(driver, new CheckScenarios(new Bench(driver)).ofPerigee().stream());
    }

    /** The numbered black-box checks a stock client can express and a stock broker passes, too. */
    public static List<Scenario> checks(StockDriver driver) {
        return named(driver, new CheckScenarios(new Bench(driver)).ofEveryBroker().stream());
    }

    /** Subscriptions by SQL expression. */
    public static List<Scenario> sql(StockDriver driver) {
        return named(driver, new PushScenarios(new Bench(driver)).withSql().stream());
    }

    /** Messages the producer wants delivered later. */
    public static List<Scenario> delays(StockDriver driver) {
        return named(driver, new PushScenarios(new Bench(driver)).withDelay().stream());
    }

    /** Delayed messages within Perigee's limits, and check K08. */
    public static List<Scenario> delaysOfPerigee(StockDriver driver) {
        return named(driver, new DelayScenarios(new Bench(driver)).all().stream());
    }

    /** Taking delayed messages back, with Perigee's answers; for clients of 5.x. */
    public static List<Scenario> recalls(StockDriver driver) {
        return named(driver, new DelayScenarios(new Bench(driver)).withRecall().stream());
    }

    /** Bad input of stock producers, with Perigee's answers. */
    public static List<Scenario> refusals(StockDriver driver) {
        return named(driver, new RefusalScenarios(new Bench(driver)).all().stream());
    }

    /** Handles that take nothing back, with Perigee's answers; for clients of 5.x. */
    public static List<Scenario> badRecalls(StockDriver driver) {
        return named(driver, new RefusalScenarios(new Bench(driver)).withRecall().stream());
    }

    /** Transactions, at a broker that asks about them within a second. */
    public static List<Scenario> transactions(StockDriver driver) {
        return named(driver, new TransactionScenarios(new Bench(driver)).all().stream());
    }

    /** Transactions with what only Perigee promises, check K11 among it. */
    public static List<Scenario> transactionsOfPerigee(StockDriver driver) {
        return named(driver, new TransactionScenarios(new Bench(driver)).ofPerigee().stream());
    }

    /** Requests and their replies. */
    public static List<Scenario> requests(StockDriver driver) {
        return named(driver, new RequestScenarios(new Bench(driver)).all().stream());
    }

    /** Bodies and properties at their limits. */
    public static List<Scenario> bodies(StockDriver driver) {
        return named(driver, new BodyScenarios(new Bench(driver)).all().stream());
    }

    /** Every codec of bodies; for clients of 5.x. */
    public static List<Scenario> codecs(StockDriver driver) {
        return named(driver, new BodyScenarios(new Bench(driver)).ofFive().stream());
    }

    /** Priorities as Perigee serves them; for clients of 5.x. */
    public static List<Scenario> priorities(StockDriver driver) {
        return named(driver, new BodyScenarios(new Bench(driver)).priorities().stream());
    }

    /** Retries and dead letters. */
    public static List<Scenario> redelivery(StockDriver driver) {
        return named(driver, new PushScenarios(new Bench(driver)).withRedelivery().stream());
    }

    /** Only what mqadmin of every release does with consumer groups. */
    public static List<Scenario> groups(StockAdmin admin, StockDriver driver, Target target) {
        return new AdminConsumerScenarios(new Admin(admin, target), new Bench(driver)).every();
    }

    /** What mqadmin does that no other scenario may run beside. */
    public static List<Scenario> adminAlone(StockAdmin admin, StockDriver driver, Target target) {
        return new AdminTopicScenarios(new Admin(admin, target), new Bench(driver)).alone();
    }

    /** What mqadmin does with topics, messages and brokers; the driver only helps to set scenes. */
    public static List<Scenario> admin(StockAdmin admin, StockDriver driver, Target target) {
        Admin tools = new Admin(admin, target);
        Bench bench = new Bench(driver);
        return Stream.of(
                        new AdminTopicScenarios(tools, bench).all(),
                        new AdminMessageScenarios(tools, bench).all(),
                        new AdminBrokerScenarios(tools, bench).all(),
                        new AdminConsumerScenarios(tools, bench).all())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Scenario> named(StockDriver driver, Stream<Scenario> scenarios) {
        String version = driver.peer().versionOf("rocketmq-client").orElse("?");
        return scenarios.map(scenario -> scenario.under("client " + version)).toList();
    }
}
