@NullMarked
package dev.perigee.harness;

import org.jspecify.annotations.NullMarked;
