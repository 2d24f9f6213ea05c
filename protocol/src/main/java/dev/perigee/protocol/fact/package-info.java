/** Facts: what a broker decided and keeps in its log beside messages. */
@NullMarked
package dev.perigee.protocol.fact;

import org.jspecify.annotations.NullMarked;
