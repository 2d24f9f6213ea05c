/** Which queue a message goes to, when the caller has a say in it. */
@NullMarked
package dev.perigee.client.selector;

import org.jspecify.annotations.NullMarked;
