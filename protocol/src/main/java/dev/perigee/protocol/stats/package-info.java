/** Positions, rates and tables for operators. */
@NullMarked
package dev.perigee.protocol.stats;

import org.jspecify.annotations.NullMarked;
