/** Golden bytes shared by the tests of this module. */
@NullMarked
package dev.perigee.protocol;

import org.jspecify.annotations.NullMarked;
