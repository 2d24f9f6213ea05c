/** Which producers are asked about undecided halves of transactions, and since when there is nobody to be asked. */
@NullMarked
package dev.perigee.broker.transaction.producer;

import org.jspecify.annotations.NullMarked;
