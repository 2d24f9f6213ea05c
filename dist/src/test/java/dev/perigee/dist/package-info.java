/** Tests of the whole process: commands against real servers on free ports. */
@NullMarked
package dev.perigee.dist;

import org.jspecify.annotations.NullMarked;
