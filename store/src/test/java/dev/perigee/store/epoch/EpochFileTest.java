package dev.perigee.store.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.Fact.MembersChanged;
import dev.perigee.protocol.fact.Fact.MembersChanged.GroupMember;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.store.disk.CrashingDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class EpochFileTest {
    private static final EpochFile FILE = new EpochFile(
            0x0102030405060708L,
            4096,
            EpochTable.of(List.of(new Epoch(1, 0x1111111111111111L, 0), new Epoch(3, 0x3333333333333333L, 1024))),
            Optional.of(new ReplicaSet(List.of(new InSyncMember(2, "a1")), 0x0800)),
            List.of(new MemberFact(
                    new MembersChanged(List.of(new GroupMember("n0", "b2", "h:1")), List.of()), 0x0900)));

    private final CrashingDisk disk = new CrashingDisk(new Random(1));

    @Test
    void hasTheBytesOfTheFormat() throws IOException {
        FILE.write(disk);
        String hex = HexFormat.of().formatHex(disk.content("epochs"));
        assertThat(hex.substring(0, hex.length() - 8))
                .isEqualTo("5045524945504f33" + "0102030405060708" + "0000000000001000" + "00000002"
                        + "00000001" + "1111111111111111" + "0000000000000000"
                        + "00000003" + "3333333333333333" + "0000000000000400"
                        + "0000000000000800" + "00000001" + "0000000000000002" + "0002" + "6131"
                        + "00000001" + "0000000000000900" + "00000044"
                        + hex("{\"learners\":[],\"voters\":[{\"address\":\"h:1\",\"id\":\"n0\",\"nodeId\":\"b2\"}]}"));
        assertThat(EpochFile.read(disk)).contains(FILE);
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void isAbsentWhenAnyByteIsWrongOrMissing() throws IOException {
        FILE.write(disk);
        byte[] bytes = disk.content("epochs");
        for (int at = 0; at < bytes.length; at++) {
            byte[] flipped = bytes.clone();
            flipped[at] ^= 0x20;
            disk.put("epochs", flipped);
            assertThat(EpochFile.read(disk)).as("flip at %d", at).isEmpty();
            disk.put("epochs", Arrays.copyOf(bytes, at));
            assertThat(EpochFile.read(disk)).as("cut at %d", at).isEmpty();
        }
        EpochFile.delete(disk);
        assertThat(EpochFile.read(disk)).isEmpty();
    }

    @Test
    void isTheOldOneOrTheNewOneAfterALossOfPower() throws IOException {
        for (int seed = 0; seed < 200; seed++) {
            CrashingDisk fragile = new CrashingDisk(new Random(seed));
            FILE.write(fragile);
            EpochFile later = new EpochFile(
                    FILE.logId(), 9_000, FILE.epochs().add(new Epoch(4, 4, 5_000)), Optional.empty(), List.of());
            later.write(fragile);
            fragile.crash();
            assertThat(EpochFile.read(fragile)).as("seed %d", seed).contains(later);
        }
    }
}
