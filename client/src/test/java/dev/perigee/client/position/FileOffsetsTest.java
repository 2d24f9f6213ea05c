package dev.perigee.client.position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.message.MessageQueue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class FileOffsetsTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);
    private static final MessageQueue OTHER = new MessageQueue("T", "a", 1);

    @TempDir
    private Path folder;

    private final ArrayDeque<Runnable> disk = new ArrayDeque<>();
    private final ArrayDeque<AutoCloseable> open = new ArrayDeque<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable store : open) {
            store.close();
        }
    }

    private FileOffsets opened() {
        FileOffsets offsets = new FileOffsets(folder, "c", "g", Runnable::run);
        offsets.open().join();
        open.add(offsets);
        return offsets;
    }

    private Path home() {
        return folder.resolve("c").resolve("g");
    }

    private String content(String name) throws IOException {
        return Files.readString(home().resolve(name));
    }

    private void write(String name, String text) throws IOException {
        Files.createDirectories(home());
        Files.write(home().resolve(name), text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void positionsOutliveTheProcessAndTheFormerOnesStayBesideThem() throws Exception {
        FileOffsets first = opened();
        assertThat(first.read(QUEUE).join()).isEqualTo(OffsetStore.NOT_STORED);
        first.update(QUEUE, 7);
        first.persist(List.of(QUEUE)).join();
        first.update(QUEUE, 8);
        first.close();
        assertThat(content("offsets.json")).contains("8");
        assertThat(content("offsets.json.bak")).contains("7");
        assertThat(opened().read(QUEUE).join()).isEqualTo(8);
    }

    @Test
    void theFileHasTheFormStockClientsWrite() throws Exception {
        write("offsets.json", "{\"offsetTable\":{{\"brokerName\":\"a\",\"queueId\":0,\"topic\":\"T\"}:12}}");
        assertThat(opened().read(QUEUE).join()).isEqualTo(12);
    }

    @Test
    void whatWasNotAskedForGoesOnceThereIsTooMuch() throws Exception {
        String queues = IntStream.range(0, FileOffsets.MAX_QUEUES)
                .mapToObj(queueId -> "{\"brokerName\":\"gone\",\"queueId\":" + queueId + ",\"topic\":\"T\"}:5")
                .collect(Collectors.joining(","));
        write("offsets.json", "{\"offsetTable\":{" + queues + "}}");
        MessageQueue asked = new MessageQueue("T", "gone", 3);
        FileOffsets first = opened();
        assertThat(first.read(asked).join()).isEqualTo(5);
        assertThat(content("offsets.json")).contains("9999");
        first.update(QUEUE, 7);
        first.persist(List.of(QUEUE)).join();
        assertThat(content("offsets.json")).hasSizeLessThan(200);
        first.close();

        FileOffsets second = opened();
        assertThat(second.read(asked).join()).isEqualTo(5);
        assertThat(second.read(QUEUE).join()).isEqualTo(7);
        assertThat(second.read(new MessageQueue("T", "gone", 4)).join()).isEqualTo(OffsetStore.NOT_STORED);
    }

    @Test
    void aBrokenFileGivesWayToTheOneBeforeAndThatToNothing() throws Exception {
        FileOffsets first = opened();
        first.update(QUEUE, 7);
        first.close();
        write("offsets.json.bak", content("offsets.json"));
        write("offsets.json", "{\"offsetTa");
        FileOffsets second = opened();
        assertThat(second.read(QUEUE).join()).isEqualTo(7);
        second.close();
        write("offsets.json", "");
        write("offsets.json.bak", "nothing");
        assertThat(opened().read(QUEUE).join()).isEqualTo(OffsetStore.NOT_STORED);
    }

    @ParameterizedTest
    @EnumSource(OffsetFile.Step.class)
    void aCrashBeforeAnyStepOfAWriteLeavesTheOldPositionsOrTheNew(OffsetFile.Step crash) {
        FileOffsets before = opened();
        before.update(QUEUE, 7);
        before.close();

        OffsetFile dying = new OffsetFile(home(), step -> {
            if (step == crash) {
                throw new IOException("expected by the test");
            }
        });
        Map<MessageQueue, Long> newer = Map.of(QUEUE, 8L);
        assertThatThrownBy(() -> dying.write(newer)).hasMessageContaining("expected");

        boolean isReplaced = crash == OffsetFile.Step.FORCE_FOLDER;
        assertThat(opened().read(QUEUE).join()).isEqualTo(isReplaced ? 8 : 7);
    }

    @Test
    void theFileIsThereAtEveryMomentOfAWrite() throws Exception {
        FileOffsets before = opened();
        before.update(QUEUE, 7);
        before.close();
        OffsetFile watched = new OffsetFile(
                home(), step -> assertThat(content("offsets.json")).contains("offsetTable"));
        watched.write(Map.of(QUEUE, 8L));
        assertThat(content("offsets.json")).contains("8");
    }

    @Test
    void whileAWriteWaitsTheNewestPositionsTakeItsPlace() throws Exception {
        FileOffsets offsets = new FileOffsets(folder, "c", "g", disk::add);
        CompletableFuture<Void> opened = offsets.open();
        disk.remove().run();
        assertThat(opened).isCompleted();
        open.add(() -> runDisk(offsets));
        offsets.update(QUEUE, 1);
        CompletableFuture<Void> first = offsets.persist(List.of(QUEUE));
        offsets.update(QUEUE, 2);
        CompletableFuture<Void> second = offsets.persist(List.of(QUEUE));
        assertThat(disk).hasSize(1);
        disk.remove().run();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(content("offsets.json")).contains("2");

        CompletableFuture<Void> third = offsets.persist(List.of(QUEUE));
        disk.remove().run();
        assertThat(third).isCompleted();
        assertThat(Files.exists(home().resolve("offsets.json.bak")))
                .as("nothing changed, nothing is written")
                .isFalse();
    }

    private void runDisk(FileOffsets offsets) {
        offsets.close();
        disk.forEach(Runnable::run);
    }

    @Test
    void aSecondConsumerOnTheSameFolderIsTurnedAwayByName() {
        FileOffsets first = opened();
        FileOffsets second = new FileOffsets(folder, "c", "g", Runnable::run);
        assertThatThrownBy(() -> second.open().join())
                .hasMessageContaining("offsets.json")
                .hasMessageContaining("instanceName");
        second.update(QUEUE, 9);
        second.close();
        first.close();
        assertThat(opened().read(QUEUE).join())
                .as("whoever was turned away writes nothing")
                .isEqualTo(OffsetStore.NOT_STORED);
    }

    @Test
    void aQueueIsYoungerWhenItsBrokerHadOthersOfTheTopicBefore() {
        FileOffsets first = opened();
        first.update(QUEUE, 7);
        assertThat(first.isYoungerThanStored(OTHER)).isFalse();
        first.close();
        FileOffsets second = opened();
        assertThat(second.isYoungerThanStored(OTHER)).isTrue();
        assertThat(second.isYoungerThanStored(QUEUE)).isFalse();
        assertThat(second.isYoungerThanStored(new MessageQueue("T", "b", 0))).isFalse();
        assertThat(second.isYoungerThanStored(new MessageQueue("U", "a", 0))).isFalse();
    }

    @Test
    void aWriteThatFailsIsToldToWhoeverCommitsAndTriedAgain() throws Exception {
        FileOffsets offsets = opened();
        Files.createDirectories(home().resolve("offsets.json.tmp"));
        assertThatThrownBy(() -> offsets.commit(Map.of(QUEUE, 3L)).join()).hasCauseInstanceOf(IOException.class);
        offsets.persist(List.of(QUEUE)).join();
        Files.delete(home().resolve("offsets.json.tmp"));
        offsets.persist(List.of(QUEUE)).join();
        assertThat(content("offsets.json")).contains("3");
    }

    @Test
    void theOwnThreadWritesTheLastPositionsWhenItIsClosed() throws Exception {
        FileOffsets offsets = FileOffsets.onOwnThread(folder, "c", "g");
        offsets.open().join();
        offsets.update(QUEUE, 5);
        offsets.close();
        offsets.close();
        assertThat(content("offsets.json")).contains("5");
        assertThat(offsets.persist(List.of(QUEUE))).isCompleted();
    }
}
