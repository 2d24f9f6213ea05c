package dev.perigee.protocol.rpc;

import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.KeyTable;

/** Takes the values of one header under way, for the codecs written by hand. */
@FunctionalInterface
interface FieldReader {
    /** Takes the value the cursor stands at, of the name with this index. */
    void read(int index, FieldCursor cursor) throws BadFieldException;

    /**
     * Reads every field of the table and passes over the others.
     *
     * @param keys the names of the header, at most 32
     * @param mandatory a bit for each index that must come
     * @return a bit for each index that came
     * @throws BadFieldException when a mandatory field is missing or a value is not of its type
     */
    static int readAll(FieldCursor cursor, KeyTable keys, int mandatory, FieldReader fields) throws BadFieldException {
        int seen = 0;
        while (cursor.next()) {
            int index = cursor.key(keys);
            if (index != KeyTable.UNKNOWN) {
                fields.read(index, cursor);
                seen |= 1 << index;
            } else {
                cursor.skip();
            }
        }
        int missing = mandatory & ~seen;
        if (missing != 0) {
            throw BadFieldException.missing(keys.name(Integer.numberOfTrailingZeros(missing)));
        }
        return seen;
    }
}
