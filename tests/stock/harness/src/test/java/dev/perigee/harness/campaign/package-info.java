/** What the long tests stand on. */
@NullMarked
package dev.perigee.harness.campaign;

import org.jspecify.annotations.NullMarked;
