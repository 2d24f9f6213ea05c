/** Bodies about transactions that are not decided. */
@NullMarked
package dev.perigee.protocol.transaction;

import org.jspecify.annotations.NullMarked;
