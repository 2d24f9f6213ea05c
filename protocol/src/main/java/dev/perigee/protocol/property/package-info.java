/** Message properties: reserved names, the encoded text, and editing it without decoding. */
@NullMarked
package dev.perigee.protocol.property;

import org.jspecify.annotations.NullMarked;
