/** A program that runs a stock client on orders from another process. Compiled once against each client generation. */
package dev.perigee.stock;
