/** What a log takes in from the log of another node: sealed bytes, orders to cut, and why either was refused. */
@NullMarked
package dev.perigee.store.receive;

import org.jspecify.annotations.NullMarked;
