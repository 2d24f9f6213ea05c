/** The file seam: everything the store reads or writes goes through {@link dev.perigee.store.disk.Disk}. */
@NullMarked
package dev.perigee.store.disk;

import org.jspecify.annotations.NullMarked;
