package dev.perigee.raft.sim;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs in a JVM of their own: {@code firstSeed seeds faultsMs} ends with {@link #FOUND} and the seed when a run shows something, with 0
 * and the sums when none does; {@code campaign FOLDER minutes seeds} goes on with the campaign that is there; {@code sum FILE...} adds up
 * what campaigns wrote.
 */
public final class GroupMain {
    /** The exit of a run that found something. */
    public static final int FOUND = 7;

    private GroupMain() {}

    /** Runs it. */
    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "campaign" -> campaign(arguments);
            case "sum" -> {
                for (String file : List.of(arguments).subList(1, arguments.length)) {
                    System.out.println(LongCampaign.sum(Path.of(file)));
                }
            }
            default -> seeds(arguments);
        }
    }

    private static void campaign(String[] arguments) throws IOException {
        int broken =
                new LongCampaign(Path.of(arguments[1])).run(Long.parseLong(arguments[2]), Long.parseLong(arguments[3]));
        System.exit(broken == 0 ? 0 : FOUND);
    }

    private static void seeds(String[] arguments) {
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
