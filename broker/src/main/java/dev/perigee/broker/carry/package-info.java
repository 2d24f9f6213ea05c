/** What views keep in mind of their entries while a store is looked at elsewhere, and while frames are copied because the log's first files must go. */
@NullMarked
package dev.perigee.broker.carry;

import org.jspecify.annotations.NullMarked;
