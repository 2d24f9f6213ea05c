package dev.perigee.cli.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.SysFlag;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A message as a terminal is given it. */
final class MessageTextTest {
    private static final String CLEARS_THE_SCREEN = "\u001b[2J";

    private static MessageExt stored(String body, Map<String, String> properties, int sysFlag) {
        InetSocketAddress host = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        Message message = new Message("T", body.getBytes(StandardCharsets.UTF_8), 0, properties);
        return new MessageExt(message, "a", 0, 0, 0, 100, sysFlag, 0, host, 0, host, 0, 0, 0);
    }

    @Test
    void tagKeysAndBodyReachTheTerminalWithoutControlCharacters() {
        MessageExt message = stored(
                "first\nsecond" + CLEARS_THE_SCREEN,
                Map.of("TAGS", "t\n" + CLEARS_THE_SCREEN, "KEYS", "k\r" + CLEARS_THE_SCREEN),
                0);
        assertThat(MessageText.line(message)).endsWith("tag=t..[2J  keys=k..[2J  first\nsecond.[2J");
        assertThat(MessageText.members(message)).containsEntry("tag", "t\n" + CLEARS_THE_SCREEN);
    }

    @Test
    void aBodyThatCouldNotBeInflatedIsNotShownAsText() {
        MessageExt message = stored("looks like text", Map.of(), SysFlag.COMPRESSED);
        assertThat(MessageText.line(message))
                .contains("still compressed, 15 bytes")
                .doesNotContain("looks");
    }
}
