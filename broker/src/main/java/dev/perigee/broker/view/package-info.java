/** What the broker knows durably about topics, groups and offsets: folds over the facts in the log. */
@NullMarked
package dev.perigee.broker.view;

import org.jspecify.annotations.NullMarked;
