package dev.perigee.stock;

import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.JSONObject;
import io.netty.channel.Channel;
import java.security.CodeSource;
import org.apache.rocketmq.client.producer.DefaultMQProducer;

/** The jars the running client really loaded, named by file. */
final class Versions {
    private Versions() {}

    static JSONObject running() {
        JSONObject shape = new JSONObject();
        shape.put("netty", jarOf(Channel.class));
        shape.put("fastjson", jarOf(JSON.class));
        shape.put("client", jarOf(DefaultMQProducer.class));
        shape.put("java", System.getProperty("java.version"));
        return shape;
    }

    private static String jarOf(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        String path = source == null ? "" : source.getLocation().getPath();
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
