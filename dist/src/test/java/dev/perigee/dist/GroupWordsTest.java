package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What commands and members say to a person who tries a group of brokers. */
@Tag("full")
class GroupWordsTest {
    @TempDir
    private Path folder;

    private RunningMembers members;

    @BeforeEach
    void start() throws Exception {
        members = new RunningMembers(folder);
    }

    @AfterEach
    void stop() {
        members.close();
    }

    @Test
    void whoSendsToAGroupThatHasNotBegunIsToldThatNobodyIsTheMaster() throws Exception {
        members.start(0);

        RunningUp.await(() -> members.run("cluster", "list").out().contains(RunningMembers.BROKER));
        Run send = members.run("send", "demo", "hello");
        assertThat(send.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(send.err())
                .contains("topic has no route")
                .contains("; broker-a has no master just now ('raft status broker-a' says who is missing of a group)");
    }

    @Test
    void anOrderSaysWhatCameOfItAndARefusalWhy() throws Exception {
        String leader = startAll();
        String other = leader.equals("n0") ? "n1" : "n0";
        String third = leader.equals("n2") ? "n1" : "n2";

        assertThat(ok("transfer", other).out()).startsWith(other + " leads now in term ");
        refused(raft("transfer", other), other + " leads already");
        refused(raft("transfer", "n9"), "n9 is no member of the group, which has n0, n1, n2");
        refused(raft("promote", third), third + " votes already: the voters are n0, n1, n2");

        assertThat(ok("remove", leader).out())
                .startsWith(leader + " is no member any more: the voters are ")
                .contains("; " + other + " leads in term ");
        assertThat(ok("add", members.address(leader.charAt(1) - '0')).out())
                .startsWith(leader + " is a member now: it receives the log, and does not vote before 'raft promote "
                        + RunningMembers.BROKER + " " + leader + "'; " + other + " leads in term ");
        refused(raft("transfer", leader), leader + " only receives: it may lead when it votes");
        RunningUp.await(() -> {
            Run promote = raft("promote", leader);
            return promote.out().startsWith(leader + " votes now: the voters are ");
        });
    }

    @Test
    void aPersonIsAskedBeforeAMemberLeavesAndToldWhenNoFailureIsSurvivedAfterIt() throws Exception {
        String leader = startAll();
        String leaves = leader.equals("n0") ? "n1" : "n0";
        String stays = leader.equals("n2") ? "n1" : "n2";
        String voters = Stream.of(leader, stays).sorted().collect(Collectors.joining(", "));

        Run refused = inATerminal("n", "raft", "remove", RunningMembers.BROKER, leaves);
        assertThat(refused.exitCode()).as(refused.toString()).isEqualTo(ExitCode.FAILED);
        assertThat(refused.err())
                .contains("this removes " + leaves + " from group " + RunningMembers.BROKER + ": voters are then "
                        + voters
                        + ", and the group survives no failure of a member. Do it? [y/N] perigee: nothing was done");
        assertThat(raft("status").out()).contains(" " + leaves + " ").doesNotContain("no member");

        Run script = ok("remove", leaves);
        assertThat(script.out()).startsWith(leaves + " is no member any more: the voters are " + voters);
        assertThat(script.err()).contains("perigee: the group survives no failure of a member: 'raft add' and ");
    }

    @Test
    void aMemberThatIsStartedAgainSaysWhoLeadsAndOneThatWasRemovedThatItIsNone() throws Exception {
        String leader = startAll();
        int other = leader.equals("n0") ? 1 : 0;
        members.stop(other);
        members.start(other);
        assertThat(members.printed(other))
                .contains("; member n" + other + " of group broker-a, which " + leader + " leads");

        ok("remove", "n" + other, "--yes");
        RunningUp.await(() ->
                members.run("raft", "status", members.address(other)).out().contains("no member"));
        members.stop(other);
        members.start(other);
        assertThat(members.printed(other))
                .contains(
                        "; member n" + other + " of group broker-a, to which it does not belong any more, or not yet");
    }

    /** In a process of its own, as the launcher starts it in a terminal. */
    private Run inATerminal(String answer, String... words) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dperigee.asks=true",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        all.addAll(List.of(words));
        all.addAll(List.of("-n", members.nameServer()));
        Path in = Files.writeString(folder.resolve("in.txt"), answer + "\n");
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        Process process = new ProcessBuilder(all)
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Run(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** Starts all three; returns who leads. */
    private String startAll() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            members.start(i);
        }
        RunningUp.await(() -> leader().isPresent());
        return leader().orElseThrow();
    }

    private Optional<String> leader() {
        return raft("status")
                .out()
                .lines()
                .filter(line -> line.contains(" LEADER "))
                .map(line -> line.split("[| ]+")[1])
                .findFirst();
    }

    private Run raft(String order, String... more) {
        List<String> words = new ArrayList<>(List.of("raft", order, RunningMembers.BROKER));
        words.addAll(List.of(more));
        return members.run(words.toArray(String[]::new));
    }

    private Run ok(String order, String... more) {
        Run run = raft(order, more);
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.OK);
        return run;
    }

    private static void refused(Run run, String why) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).contains("remark=\"" + why + "\"").doesNotContain("remainingMs");
    }
}
