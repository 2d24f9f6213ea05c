/** Long tests that run again and again, can be broken off, and go on later. */
@NullMarked
package dev.perigee.harness.campaign;

import org.jspecify.annotations.NullMarked;
