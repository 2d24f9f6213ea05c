package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.store.disk.CrashingDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class GroupFolderTest {
    private final CrashingDisk disk = new CrashingDisk(new Random(1));

    private static GroupConfig member(String group, String selfId) {
        return GroupConfig.of("cluster", group, selfId, GroupConfig.peers("n0-a:1;n1-b:1;n2-c:1"));
    }

    @Test
    void aFolderIsTakenOnceAndStaysThatMembersAlsoWithoutPower() throws Exception {
        GroupFolder.claim(disk, member("broker-a", "n0"));
        disk.crash();

        GroupFolder.claim(disk, member("broker-a", "n0"));
        assertThatThrownBy(() -> GroupFolder.claim(disk, member("broker-b", "n0")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cluster/broker-a/n0")
                .hasMessageContaining("cluster/broker-b/n0");
        assertThatThrownBy(() -> GroupFolder.claim(disk, member("broker-a", "n1")))
                .hasMessageContaining("cluster/broker-a/n0")
                .hasMessageContaining("cluster/broker-a/n1");
    }

    @Test
    void aBrokerInNoGroupDoesNotBeginWithTheFolderOfAMember() throws Exception {
        GroupFolder.requireOfNoGroup(disk, "cluster/broker-a, brokerId 0");
        GroupFolder.claim(disk, member("broker-a", "n0"));

        assertThatThrownBy(() -> GroupFolder.requireOfNoGroup(disk, "cluster/broker-a, brokerId 0"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cluster/broker-a/n0")
                .hasMessageContaining("brokerId 0");
    }

    @Test
    void aFolderThatALeaderFillsBeginsNoGroupOfItsOwn() throws Exception {
        GroupFolder.requireOthers(member("broker-a", "n0"));

        GroupConfig alone = GroupConfig.of("cluster", "broker-a", "n0", GroupConfig.peers("n0-a:1"));
        assertThatThrownBy(() -> GroupFolder.requireOthers(alone))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("dLegerPeers=n0-a:1")
                .hasMessageContaining("being filled");
    }

    /** Whoever emptied it but for small files left its name, under which it may have voted (R6, R36). */
    @Test
    void aFolderWhoseVoteIsGoneIsNotBegunWith() throws Exception {
        GroupFolder.claim(disk, member("broker-a", "n0"));
        GroupFolder.claim(disk, member("broker-a", "n0"));
        disk.delete(VoteFile.FILE);

        assertThatThrownBy(() -> GroupFolder.claim(disk, member("broker-a", "n0")))
                .hasMessageContaining("cluster/broker-a/n0")
                .hasMessageContaining("file vote is missing");
    }

    @Test
    void theFolderOfABrokerInNoGroupIsRefusedAndStaysAsItIs() throws Exception {
        disk.put("commitlog/00000000000000000000", new byte[8]);

        assertThatThrownBy(() -> GroupFolder.claim(disk, member("broker-a", "n0")))
                .hasMessageContaining("in no group")
                .hasMessageContaining("cluster/broker-a/n0");
        GroupFolder.requireOfNoGroup(disk, "cluster/broker-a, brokerId 0");
    }

    @Test
    void aDamagedFileIsNamed() {
        disk.put(GroupFolder.FILE, "clust".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> GroupFolder.claim(disk, member("broker-a", "n0")))
                .hasMessageContaining("file group is damaged")
                .hasMessageContaining("clust");
    }
}
