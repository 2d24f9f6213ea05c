/** Consumer groups: the view of their configuration, and their creation and end. */
@NullMarked
package dev.perigee.broker.group;

import org.jspecify.annotations.NullMarked;
