/** Load through the stock RocketMQ client, on its own jars. */
package dev.perigee.bench.stock;
