/** Transactions of producers in JVMs of their own, which are killed as their broker is. */
@NullMarked
package dev.perigee.it.transaction;

import org.jspecify.annotations.NullMarked;
