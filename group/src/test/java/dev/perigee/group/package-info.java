/** Groups of brokers' stores on one thread, over disks and a network in memory. */
@NullMarked
package dev.perigee.group;

import org.jspecify.annotations.NullMarked;
