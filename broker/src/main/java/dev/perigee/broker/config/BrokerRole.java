package dev.perigee.broker.config;

/** The roles of the configuration file. Only a lone master is built so far; the other two stop the start without {@code replicationPreview}. */
public enum BrokerRole {
    ASYNC_MASTER,
    SYNC_MASTER,
    SLAVE
}
