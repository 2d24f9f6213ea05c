package dev.perigee.protocol.rpc;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.Key;
import dev.perigee.protocol.header.OptionalField;
import dev.perigee.protocol.property.PropertyText;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One component of a header record.
 *
 * @param name the field's name on the wire
 * @param kind how the value is read and written
 * @param optional whether absence means null
 * @param defaultValue taken when absent, null for none
 * @param type the component's type
 * @param getter reads the component, as Object of Object
 */
@Immutable
record HeaderField(
        String name, Kind kind, boolean optional, @Nullable Object defaultValue, Class<?> type, MethodHandle getter) {
    enum Kind {
        TEXT,
        PROPERTIES,
        INT,
        LONG,
        BOOLEAN,
        DOUBLE,
        ENUM
    }

    static HeaderField of(RecordComponent component, MethodHandles.Lookup lookup) throws IllegalAccessException {
        Key key = component.getAnnotation(Key.class);
        DefaultValue defaultText = component.getAnnotation(DefaultValue.class);
        Class<?> type = component.getType();
        Kind kind = kindOf(type);
        boolean boxed = kind != Kind.TEXT && kind != Kind.PROPERTIES && kind != Kind.ENUM && !type.isPrimitive();
        return new HeaderField(
                key == null ? component.getName() : key.value(),
                kind,
                boxed || component.isAnnotationPresent(OptionalField.class),
                defaultText == null ? null : parse(kind, type, defaultText.value()),
                type,
                lookup.unreflect(component.getAccessor()).asType(MethodType.methodType(Object.class, Object.class)));
    }

    Object read(FieldCursor cursor) throws BadFieldException {
        return switch (kind) {
            case TEXT -> cursor.text();
            case PROPERTIES -> PropertyText.ofUtf8(cursor.utf8());
            case INT -> cursor.intValue();
            case LONG -> cursor.longValue();
            case BOOLEAN -> cursor.booleanValue();
            case DOUBLE, ENUM -> {
                String text = cursor.text();
                try {
                    yield parse(kind, type, text);
                } catch (IllegalArgumentException e) {
                    if (kind == Kind.ENUM && defaultValue != null) {
                        yield defaultValue; // what stock peers do with a name they do not know
                    }
                    throw BadFieldException.unreadable(name, text, "a " + type.getSimpleName());
                }
            }
        };
    }

    @Nullable
    Object whenAbsent() throws BadFieldException {
        if (defaultValue == null && !optional) {
            throw BadFieldException.missing(name);
        }
        return defaultValue;
    }

    void write(Record header, FieldSink out) {
        Object value = get(header);
        if (value == null) {
            return;
        }
        switch (kind) {
            case INT, LONG -> out.number(name, ((Number) value).longValue());
            case BOOLEAN -> out.flag(name, (Boolean) value);
            case PROPERTIES -> out.utf8(name, ((PropertyText) value).toByteArray());
            case TEXT, DOUBLE, ENUM -> out.text(name, value.toString());
        }
    }

    private @Nullable Object get(Record header) {
        try {
            Object value = (Object) getter.invokeExact((Object) header);
            return value;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a record accessor throws no checked exception", e);
        }
    }

    private static Kind kindOf(Class<?> type) {
        if (type == String.class) {
            return Kind.TEXT;
        } else if (type == PropertyText.class) {
            return Kind.PROPERTIES;
        } else if (type == int.class || type == Integer.class) {
            return Kind.INT;
        } else if (type == long.class || type == Long.class) {
            return Kind.LONG;
        } else if (type == boolean.class || type == Boolean.class) {
            return Kind.BOOLEAN;
        } else if (type == double.class || type == Double.class) {
            return Kind.DOUBLE;
        } else if (type.isEnum()) {
            return Kind.ENUM;
        }
        throw new IllegalArgumentException("no header component type: " + type);
    }

    private static Object parse(Kind kind, Class<?> type, String text) {
        return switch (kind) {
            case TEXT -> text;
            case INT -> Integer.valueOf(text);
            case LONG -> Long.valueOf(text);
            case BOOLEAN -> Boolean.valueOf(text);
            case DOUBLE -> Double.valueOf(text);
            case ENUM -> enumConstant(type, text);
            case PROPERTIES -> throw new IllegalArgumentException("properties have no default");
        };
    }

    private static Object enumConstant(Class<?> type, String text) {
        String wanted = text.toUpperCase(Locale.ROOT);
        for (Object constant : type.getEnumConstants()) {
            if (((Enum<?>) constant).name().equals(wanted)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(text);
    }
}
