/** Typed settings over property files. */
@NullMarked
package dev.perigee.loop.config;

import org.jspecify.annotations.NullMarked;
