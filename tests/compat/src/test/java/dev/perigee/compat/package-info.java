@NullMarked
package dev.perigee.compat;

import org.jspecify.annotations.NullMarked;
