package dev.perigee.broker.config;

/** The roles of the configuration file. */
public enum BrokerRole {
    ASYNC_MASTER,
    SYNC_MASTER,
    SLAVE
}
