package dev.perigee.protocol.rpc;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.frame.KeyTable;
import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.Key;
import dev.perigee.protocol.header.OptionalField;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The codec of any header record: each component is one field of the same name (or of its {@link Key}), in the order of
 * the components. Components may be text, numbers, booleans, enums and their boxed forms. A missing field is null for
 * boxed types and {@link OptionalField}, the {@link DefaultValue} where there is one, and an error otherwise.
 *
 * @param <H> the header record, public
 */
@ThreadSafe
public final class RecordHeaderCodec<H extends Record> implements HeaderCodec<H> {
    private final Class<H> type;
    private volatile @Nullable Plan plan;

    /** What the record's components say. Made with the first header: of a hundred records a start uses few. */
    private record Plan(KeyTable keys, List<HeaderField> fields, MethodHandle constructor) {
        static Plan of(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            List<HeaderField> fields = new ArrayList<>();
            try {
                for (RecordComponent component : components) {
                    fields.add(HeaderField.of(component, lookup));
                }
                Class<?>[] types =
                        Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
                Constructor<?> canonical = type.getConstructor(types);
                MethodHandle constructor = lookup.unreflectConstructor(canonical)
                        .asSpreader(Object[].class, components.length)
                        .asType(MethodType.methodType(Object.class, Object[].class));
                KeyTable keys =
                        KeyTable.of(fields.stream().map(HeaderField::name).toList());
                return new Plan(keys, List.copyOf(fields), constructor);
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException("no public header record: " + type, e);
            }
        }
    }

    private RecordHeaderCodec(Class<H> type) {
        this.type = type;
    }

    /**
     * The codec of this record. The first header reads the record by reflection: make a codec once and keep it. With a record that
     * is not public, or has a component of another type than those above, every use throws {@link IllegalArgumentException}.
     */
    public static <H extends Record> RecordHeaderCodec<H> of(Class<H> type) {
        return new RecordHeaderCodec<>(type);
    }

    private Plan plan() {
        Plan known = plan;
        if (known == null) {
            known = Plan.of(type); // two threads may make the same
            plan = known;
        }
        return known;
    }

    /** Reads the record by reflection, which takes milliseconds. */
    @Override
    public void prepare() {
        plan();
    }

    @Override
    public H decode(FieldCursor cursor) throws BadFieldException {
        Plan known = plan();
        List<HeaderField> fields = known.fields();
        @Nullable Object[] values = new @Nullable Object[fields.size()];
        while (cursor.next()) {
            int index = cursor.key(known.keys());
            if (index == KeyTable.UNKNOWN) {
                cursor.skip();
            } else {
                values[index] = fields.get(index).read(cursor);
            }
        }
        for (int i = 0; i < values.length; i++) {
            if (values[i] == null) {
                values[i] = fields.get(i).whenAbsent();
            }
        }
        return construct(known.constructor(), values);
    }

    @Override
    public void encode(H header, FieldSink out) {
        for (HeaderField field : plan().fields()) {
            field.write(header, out);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the constructor of H makes an H
    private static <H extends Record> H construct(MethodHandle constructor, @Nullable Object[] values)
            throws BadFieldException {
        try {
            Object header = (Object) constructor.invokeExact(values);
            return (H) header;
        } catch (IllegalArgumentException e) {
            throw new BadFieldException(String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a record constructor throws no checked exception", e);
        }
    }
}
