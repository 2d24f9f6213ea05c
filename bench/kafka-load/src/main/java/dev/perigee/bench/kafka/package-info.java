/** Load on a Kafka broker with Kafka's own client, measured beside ours. */
package dev.perigee.bench.kafka;
