package dev.perigee.protocol.message;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.fastjson2.JSONObject;
import dev.perigee.protocol.TestVectors;
import dev.perigee.protocol.frame.RemotingCommand;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.property.TagHash;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameVectorsTest {
    private static final String V4 = "05-stored-v1-ipv4";
    private static final String LONG_TOPIC = "06-stored-v2-long-topic";
    private static final String V6 = "07-stored-v1-ipv6";

    @Test
    void readsAFrameOfAStockBroker() {
        ByteBuffer buffer = ByteBuffer.wrap(TestVectors.bytes(V4));
        assertThat(FrameCheck.of(buffer, 0, buffer.limit(), true)).isEqualTo(FrameCheck.SOUND_UNSTAMPED);
        MessageFrame frame = new MessageFrame().wrap(buffer, 0);
        assertThat(frame.sizeBytes()).isEqualTo(196);
        assertThat(frame.topic()).isEqualTo("DemoTopic");
        assertThat(frame.hasTopic("DemoTopic")).isTrue();
        assertThat(frame.queueId()).isEqualTo(2);
        assertThat(frame.flag()).isEqualTo(7);
        assertThat(frame.queueOffset()).isEqualTo(100);
        assertThat(frame.physicalOffset()).isEqualTo(123456789);
        assertThat(frame.bornTimestampMs()).isEqualTo(1760000000000L);
        assertThat(frame.storeTimestampMs()).isEqualTo(1760000000005L);
        assertThat(frame.bornHost()).hasToString("/10.0.0.1:50001");
        assertThat(frame.storeHost()).hasToString("/10.0.0.2:10911");
        assertThat(frame.bodyCrc()).isEqualTo(222957957);
        assertThat(frame.tagHash()).isEqualTo(2598919);
        assertThat(frame.property("KEYS")).isEqualTo("order-1");
        assertThat(frame.property("KEY")).isNull();
        assertThat(frame.isStamped()).isFalse();
        MessageExt message = MessageDecoder.decode(frame, "broker-a");
        assertThat(message.bodyText()).isEqualTo("hello world");
        assertThat(message.offsetMessageId())
                .isEqualTo(TestVectors.description(V4).getString("offsetMsgId"));
        assertThat(message.messageId()).isEqualTo("0A0000010D2018B4AAC2000000000000");
        assertThat(message.queue()).isEqualTo(new MessageQueue("DemoTopic", "broker-a", 2));
    }

    @Test
    void readsAFrameWithALongTopic() {
        ByteBuffer buffer = ByteBuffer.wrap(TestVectors.bytes(LONG_TOPIC));
        assertThat(FrameCheck.of(buffer, 0, buffer.limit(), true)).isEqualTo(FrameCheck.SOUND_UNSTAMPED);
        MessageFrame frame = new MessageFrame(new TopicInterner()).wrap(buffer, 0);
        assertThat(frame.topic())
                .isEqualTo(TestVectors.description(LONG_TOPIC).getString("topic"))
                .isSameAs(frame.topic());
        assertThat(frame.queueOffset()).isEqualTo(3);
        assertThat(frame.physicalOffset()).isEqualTo(4096);
        assertThat(frame.bodyCrc()).isEqualTo(1615554403);
        assertThat(frame.property("TAGS")).isEqualTo("TagB");
    }

    @Test
    void readsAFrameWithIpv6Hosts() {
        ByteBuffer buffer = ByteBuffer.wrap(TestVectors.bytes(V6));
        assertThat(FrameCheck.of(buffer, 0, buffer.limit(), true)).isEqualTo(FrameCheck.SOUND_UNSTAMPED);
        MessageExt message = MessageDecoder.decode(new MessageFrame().wrap(buffer, 0), "b");
        assertThat(message.bornHost().getAddress().getHostAddress()).isEqualTo("2001:db8:0:0:0:0:0:1");
        assertThat(message.bornHost().getPort()).isEqualTo(50001);
        assertThat(message.offsetMessageId())
                .isEqualTo(TestVectors.description(V6).getString("offsetMsgId"));
        assertThat(message.bodyText()).isEqualTo("v6");
    }

    @ParameterizedTest
    @ValueSource(strings = {V4, LONG_TOPIC, V6})
    void writesTheBytesOfAStockBrokerPlusTheStamp(String vector) {
        byte[] stock = TestVectors.bytes(vector);
        MessageFrame read = new MessageFrame().wrap(ByteBuffer.wrap(stock), 0);
        FrameDraft draft = draftOf(read);
        ByteBuffer out = ByteBuffer.allocate(draft.sizeBytes() + 5).position(5);
        draft.writeTo(out);
        assertThat(out.remaining()).isZero();
        MessageFrame.patchQueueOffset(out, 5, read.queueOffset());
        MessageFrame.patchPhysicalOffset(out, 5, read.physicalOffset());
        MessageFrame.patchStoreTimestamp(out, 5, read.storeTimestampMs());

        assertThat(out.getInt(5)).isEqualTo(stock.length + FrameStamp.BYTES);
        int propertiesLengthAt = read.propertiesAt() - Short.BYTES;
        assertThat(out.getShort(5 + propertiesLengthAt))
                .isEqualTo((short) (read.propertiesLength() + FrameStamp.BYTES));
        ByteBuffer compared = ByteBuffer.wrap(stock.clone());
        compared.putInt(0, out.getInt(5));
        compared.putShort(propertiesLengthAt, out.getShort(5 + propertiesLengthAt));
        assertThat(out.slice(5, stock.length)).isEqualTo(compared);
    }

    private static FrameDraft draftOf(MessageFrame read) {
        byte[] properties = new byte[read.propertiesLength()];
        read.buffer().get(read.propertiesAt(), properties);
        return new FrameDraft().like(read).properties(PropertyText.ofUtf8(properties));
    }

    @Test
    void decodesAllFramesOfAPull() throws Exception {
        byte[] body = RemotingCommand.decode(TestVectors.bytes("08-pull-response-frame"))
                .body();
        List<MessageExt> messages = MessageDecoder.decodeAll(ByteBuffer.wrap(body), "broker-a");
        assertThat(messages).extracting(MessageExt::bodyText).containsExactly("msg-0", "msg-1", "msg-2");
        assertThat(messages).extracting(MessageExt::queueOffset).containsExactly(0L, 1L, 2L);
        assertThat(messages).extracting(MessageExt::physicalOffset).containsExactly(0L, 185L, 370L);
    }

    @Test
    void readsTheBatchOfAStockClientAndWritesTheSameBytes() throws Exception {
        byte[] bytes = TestVectors.bytes("04-batch-body");
        BatchBody batch = BatchBody.of(ByteBuffer.wrap(bytes));
        assertThat(batch.count()).isEqualTo(3);
        List<Message> messages = new java.util.ArrayList<>();
        while (batch.next()) {
            byte[] body = new byte[batch.bodyLength()];
            batch.body().get(body);
            messages.add(new Message("t", body, batch.flag(), batch.properties().toMap()));
        }
        assertThat(messages).extracting(Message::bodyText).containsExactly("batch-0", "batch-1", "batch-2");
        assertThat(messages).extracting(Message::tag).containsExactly("Tag0", "Tag1", "Tag2");
        assertThat(BatchBody.encode(messages)).isEqualTo(bytes);
        batch.rewind();
        assertThat(batch.next()).isTrue();
        assertThat(batch.properties().get("KEYS")).isEqualTo("key0");
    }

    @Test
    void hashesTagsAsJavaDoes() {
        JSONObject more = TestVectors.description("18-consume-queue-entry").getJSONObject("moreHashes");
        more.forEach((tag, hash) -> assertThat(TagHash.of(tag)).isEqualTo(Integer.parseInt(hash.toString())));
    }

    @Test
    void writesABlankRecord() {
        ByteBuffer buffer = ByteBuffer.allocate(8);
        MessageFrame.writeBlank(buffer, 0, 1000);
        assertThat(buffer.array()).isEqualTo(TestVectors.bytes("22-blank-record"));
        assertThat(FrameCheck.of(buffer, 0, 8, true)).isEqualTo(FrameCheck.BLANK);
    }
}
