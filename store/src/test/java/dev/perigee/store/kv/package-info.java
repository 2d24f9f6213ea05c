/** Tests of the stores of views, and the one in memory that simulations use. */
@NullMarked
package dev.perigee.store.kv;

import org.jspecify.annotations.NullMarked;
