package dev.perigee.broker.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.append.AppendResult;
import dev.perigee.store.disk.DiskSpace;
import org.junit.jupiter.api.Test;

class AppendsTest {
    private static final DiskSpace.SpaceRule RULE = new DiskSpace.SpaceRule(50, 5);

    @Test
    void aDiskWithTooLittleFreeIsRefusedByTheSettings() {
        DiskSpace space = new DiskSpace(40, 1_000, RULE, 64);
        assertThat(Appends.remark(AppendResult.DISK_FULL, space))
                .contains("nearly full", "96 % are used, 40 of 1000 bytes are free, limit 50 bytes free")
                .contains("minFreeDiskBytes=50", "minFreeDiskPercent=5");
    }

    @Test
    void aReserveThatIsSpentIsNamedWhereTheSettingsWouldLetWritesIn() {
        DiskSpace space = new DiskSpace(60, 1_000, RULE, 64);
        assertThat(Appends.remark(AppendResult.DISK_FULL, space))
                .contains("reserve (file ballast) is spent", "60 of 1000 bytes are free, limit 64 bytes free")
                .doesNotContain("minFreeDisk");
    }
}
