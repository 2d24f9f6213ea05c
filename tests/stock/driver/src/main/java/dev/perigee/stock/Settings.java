package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import java.lang.reflect.Method;
import java.util.Locale;
import java.util.Map;
import org.apache.rocketmq.client.ClientConfig;

/**
 * Applies {@code "settings": {"sendMsgTimeout": 500}} to a client object by its setters. The names are the client's own, and enums that
 * changed package between 4.9 and 5.x need no second source. Where the client wants an object of its own, the value is the name of its class.
 */
final class Settings {
    private static final int IMPATIENT_MS = 1_000;
    /** A busy machine may take longer for a first request than clients wait by default. */
    private static final int BUSY_MS = 20_000;

    private Settings() {}

    static void apply(Request request, ClientConfig target) throws ReflectiveOperationException {
        if (Boolean.getBoolean("driver.impatient")) {
            target.setHeartbeatBrokerInterval(IMPATIENT_MS);
            target.setPollNameServerInterval(IMPATIENT_MS);
            target.setMqClientApiTimeout(BUSY_MS);
        }
        for (Map.Entry<String, Object> setting : request.object("settings").entrySet()) {
            set(target, setting.getKey(), setting.getValue());
        }
    }

    private static void set(Object target, String name, Object value) throws ReflectiveOperationException {
        String setter = "set" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        for (Method method : target.getClass().getMethods()) {
            if (method.getName().equals(setter) && method.getParameterCount() == 1) {
                method.invoke(target, convert(value, method.getParameterTypes()[0]));
                return;
            }
        }
        throw new IllegalArgumentException(target.getClass().getSimpleName() + " has no setting " + name);
    }

    private static Object convert(Object value, Class<?> type) throws ReflectiveOperationException {
        if (type.isEnum()) {
            return type.getMethod("valueOf", String.class).invoke(null, String.valueOf(value));
        }
        if (type.isInterface() && value instanceof String) {
            return Class.forName((String) value)
                    .asSubclass(type)
                    .getDeclaredConstructor()
                    .newInstance();
        }
        JSONObject box = new JSONObject();
        box.put("v", value);
        return box.getObject("v", type);
    }
}
