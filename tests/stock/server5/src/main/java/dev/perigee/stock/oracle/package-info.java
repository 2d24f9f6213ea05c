/** What stock servers answer, asked of their own classes. */
package dev.perigee.stock.oracle;
