/** Compressing and inflating message bodies; LZ4 and Zstandard only where their optional libraries are present. */
@NullMarked
package dev.perigee.client.codec;

import org.jspecify.annotations.NullMarked;
