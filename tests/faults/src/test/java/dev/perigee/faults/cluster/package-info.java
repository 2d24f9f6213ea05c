/** The clusters that are put to the test, as processes that can be hurt. */
@NullMarked
package dev.perigee.faults.cluster;

import org.jspecify.annotations.NullMarked;
