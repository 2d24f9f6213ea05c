package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.Fact.MembersChanged;
import dev.perigee.protocol.fact.Fact.MembersChanged.GroupMember;
import dev.perigee.store.append.SwitchedReplication.Role;
import dev.perigee.store.epoch.EpochFile;
import dev.perigee.store.epoch.MemberFact;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Members that the log names are told when they are written, go with their bytes, and are found again by a start (R15, R30). */
final class MembersInLogTest {
    private static final GroupMember N0 = new GroupMember("n0", "a0", "h0:1");
    private static final GroupMember N1 = new GroupMember("n1", "a1", "h1:1");
    private static final MembersChanged ONE = new MembersChanged(List.of(N0), List.of());
    private static final MembersChanged TWO = new MembersChanged(List.of(N0, N1), List.of());

    private static List<MemberFact> named(LogRig rig) {
        return rig.log().members(rig.log().endOffset()).all();
    }

    @Test
    void whoAppendsThemIsToldBeforeTheEndPassesThem() throws IOException {
        Pair pair = new Pair(1);
        pair.replication.role(Role.APPENDS);
        pair.replica.fact(ONE);
        pair.replica.fact(TWO);
        pair.replica.send("topic", 0, "behind");

        pair.replica.settle();

        assertThat(pair.replication.members()).isEqualTo(named(pair.replica));
        assertThat(named(pair.replica)).extracting(MemberFact::members).containsExactly(ONE, TWO);
    }

    @Test
    void whoReceivesThemIsToldAndACutTakesThemBack() throws IOException {
        Pair pair = new Pair(2);
        pair.confirmedAtStart(0);
        pair.replica.reopen();
        pair.writer.fact(ONE);
        pair.write(3);
        long fork = pair.writerEnd();
        pair.writer.fact(TWO);
        pair.write(3);
        pair.carryAll();
        assertThat(pair.replication.members()).isEqualTo(named(pair.writer));

        pair.stream.order(pair.replica, fork);
        pair.replica.settle();

        assertThat(named(pair.replica)).extracting(MemberFact::members).containsExactly(ONE);
        pair.carryAll();
        assertThat(pair.replication.members())
                .as("told again")
                .hasSize(3)
                .endsWith(named(pair.writer).get(1));
    }

    @Test
    void aStartFindsThemWhereverItBeginsToRead() throws IOException {
        Pair pair = new Pair(3);
        pair.writer.fact(ONE);
        pair.write(2);
        pair.writer.fact(TWO);
        while (pair.writerEnd() < 3 * LogRig.SEGMENT_BYTES) {
            pair.write(20);
        }
        List<MemberFact> told = named(pair.writer);
        assertThat(told).hasSize(2);
        pair.writer.closeClean();

        pair.writer.reopen();

        assertThat(pair.writer.engine().report().members().all())
                .as("from the whole log")
                .isEqualTo(told);
        EpochFile.delete(pair.writerDisk);
        pair.writer.log().trimTo(2 * LogRig.SEGMENT_BYTES);
        pair.writer.closeClean();
        pair.writer.reopen();
        assertThat(pair.writer.engine().report().members().all())
                .as("from heads")
                .isEqualTo(told);
    }

    @Test
    void anEmptyLogThatBeginsInTheMiddleOfAnotherKnowsThemFromItsHead() throws IOException {
        Pair pair = new Pair(4);
        pair.writer.fact(ONE);
        while (pair.writerEnd() < 2 * LogRig.SEGMENT_BYTES) {
            pair.write(20);
        }
        pair.writer.log().trimTo(LogRig.SEGMENT_BYTES);

        pair.stream.carry(pair.replica, LogRig.SEGMENT_BYTES, pair.writerEnd(), pair.random);

        assertThat(named(pair.replica)).isEqualTo(named(pair.writer)).hasSize(1);
        assertThat(pair.replication.members()).isEqualTo(named(pair.writer));
    }
}
