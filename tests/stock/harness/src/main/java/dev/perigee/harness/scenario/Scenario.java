package dev.perigee.harness.scenario;

/** One thing a user does with a stock peer, named as a sentence. Scenarios are independent: each makes its own topics and groups. */
public record Scenario(String name, Check check) {
    /** Does it, and fails when the outcome is wrong. */
    public interface Check {
        /** Runs to the end or throws. */
        void run() throws Exception;
    }

    /** Runs it. */
    public void run() throws Exception {
        check.run();
    }

    Scenario under(String heading) {
        return new Scenario(heading + ": " + name, check);
    }

    @Override
    public String toString() {
        return name;
    }
}
