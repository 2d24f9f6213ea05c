package dev.perigee.remoting;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.rpc.Rpc;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which handler answers which request code, and the gate before all of them. */
@Immutable
public final class HandlerTable {
    private static final int DIRECT_CODES = 1024;

    /** One line of the table. */
    record Entry<Q extends Record, R extends Record>(Rpc<Q, R> rpc, RequestHandler<Q, R> handler) {}

    private final @Nullable Entry<?, ?>[] direct;
    private final Map<Integer, Entry<?, ?>> others;
    private final Gate gate;

    private HandlerTable(Builder builder) {
        this.direct = new Entry<?, ?>[DIRECT_CODES];
        this.others = new HashMap<>();
        this.gate = builder.gate;
        builder.entries.forEach((code, entry) -> {
            if (code >= 0 && code < DIRECT_CODES) {
                direct[code] = entry;
            } else {
                others.put(code, entry);
            }
        });
    }

    /** A table that answers nothing. */
    public static HandlerTable empty() {
        return builder().build();
    }

    /** Begins a table; its gate is open until it is set. */
    public static Builder builder() {
        return new Builder();
    }

    /** The line for this code, or null. */
    @Nullable
    Entry<?, ?> find(int code) {
        return code >= 0 && code < DIRECT_CODES ? direct[code] : others.get(code);
    }

    Gate gate() {
        return gate;
    }

    /** What stands before the handlers of a table that another one takes over. */
    public interface Before {
        /** Nothing. */
        Before NOTHING = new Before() {
            @Override
            public <Q extends Record, R extends Record> RequestHandler<Q, R> of(
                    Rpc<Q, R> rpc, RequestHandler<Q, R> handler) {
                return handler;
            }
        };

        /** The handler that answers in this one's place, or this one. */
        <Q extends Record, R extends Record> RequestHandler<Q, R> of(Rpc<Q, R> rpc, RequestHandler<Q, R> handler);
    }

    /** Collects the lines of a table. */
    @OwnedBy("starting thread")
    public static final class Builder {
        private final Map<Integer, Entry<?, ?>> entries = new HashMap<>();
        private Gate gate = Gate.OPEN;

        private Builder() {}

        /**
         * Adds a line.
         *
         * @throws IllegalArgumentException when the code has a handler already
         */
        public <Q extends Record, R extends Record> Builder on(Rpc<Q, R> rpc, RequestHandler<Q, R> handler) {
            if (entries.putIfAbsent(rpc.code(), new Entry<>(rpc, handler)) != null) {
                throw new IllegalArgumentException(rpc + " has two handlers");
            }
            return this;
        }

        /**
         * Adds every line of another table, but not its gate.
         *
         * @throws IllegalArgumentException when a code has a handler already
         */
        public Builder onAll(HandlerTable other, Before before) {
            for (Entry<?, ?> entry : other.direct) {
                if (entry != null) {
                    add(entry, before);
                }
            }
            other.others.values().forEach(entry -> add(entry, before));
            return this;
        }

        private <Q extends Record, R extends Record> void add(Entry<Q, R> entry, Before before) {
            on(entry.rpc(), before.of(entry.rpc(), entry.handler()));
        }

        /** Sets the gate before all handlers. */
        public Builder gate(Gate gate) {
            this.gate = gate;
            return this;
        }

        /** The table of the lines so far. */
        public HandlerTable build() {
            return new HandlerTable(this);
        }
    }
}
