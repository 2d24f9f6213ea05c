/** Load through Perigee's client. */
package dev.perigee.bench.own;
