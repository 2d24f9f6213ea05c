/** A load whose every operation is written down, for checks of what a cluster promised while it had faults. */
package dev.perigee.stock.history;
