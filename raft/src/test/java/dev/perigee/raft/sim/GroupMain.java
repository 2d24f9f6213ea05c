package dev.perigee.raft.sim;

/**
 * A campaign in a JVM of its own: {@code firstSeed seeds faultsMs}. Ends with {@link #FOUND} and the seed when a run shows something, with 0
 * and the sums when none does.
 */
public final class GroupMain {
    /** The exit of a campaign that found something. */
    public static final int FOUND = 7;

    private GroupMain() {}

    /** Runs it. */
    public static void main(String[] arguments) {
        Campaign campaign = new Campaign();
        try {
            campaign.run(Long.parseLong(arguments[0]), Long.parseLong(arguments[1]), Long.parseLong(arguments[2]));
        } catch (Campaign.Found e) {
            System.out.println(e.getMessage());
            System.exit(FOUND);
        }
        System.out.println(campaign);
    }
}
