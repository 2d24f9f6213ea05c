package dev.perigee.protocol.rpc;

import dev.perigee.loop.InOrder;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;

/** Turns request and response codes into their names, for logs, metrics and errors. */
public final class CodeNames {
    private static final Map<Integer, String> REQUESTS = namesOf(RequestCode.class);
    private static final Map<Integer, String> RESPONSES = namesOf(ResponseCode.class);

    private CodeNames() {}

    /** The name of a request code, or {@code REQUEST_<code>} for an unknown one. */
    public static String request(int code) {
        String name = REQUESTS.get(code);
        return name == null ? "REQUEST_" + code : name;
    }

    /** The name of a response code, or {@code RESPONSE_<code>} for an unknown one. */
    public static String response(int code) {
        String name = RESPONSES.get(code);
        return name == null ? "RESPONSE_" + code : name;
    }

    private static Map<Integer, String> namesOf(Class<?> table) {
        Map<Integer, String> names = new HashMap<>();
        for (Field field : table.getFields()) {
            if (field.getType() == int.class && Modifier.isStatic(field.getModifiers())) {
                try {
                    names.put(field.getInt(null), field.getName());
                } catch (IllegalAccessException e) {
                    throw new AssertionError("public constant " + field, e);
                }
            }
        }
        return InOrder.copyOf(names);
    }
}
