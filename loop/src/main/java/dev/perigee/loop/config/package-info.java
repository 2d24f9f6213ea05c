/** Typed settings read once from key=value text: one constant per key, with default, range and a sentence of documentation. */
@NullMarked
package dev.perigee.loop.config;

import org.jspecify.annotations.NullMarked;
