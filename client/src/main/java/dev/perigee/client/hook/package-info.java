/** Looking on at sends: what a trace, or the context of one, is made of. Looking on at listeners is in {@code listener}. */
@NullMarked
package dev.perigee.client.hook;

import org.jspecify.annotations.NullMarked;
