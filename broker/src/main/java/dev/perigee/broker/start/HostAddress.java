package dev.perigee.broker.start;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collections;

/** Finds the address that other machines can reach this one by. */
public final class HostAddress {
    private static final String LOOPBACK = "127.0.0.1";

    private HostAddress() {}

    /** The first IPv4 address of an interface that is up and no loopback; the loopback address when there is none. */
    public static String firstReachable() {
        try {
            for (NetworkInterface card : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (!card.isUp() || card.isLoopback()) {
                    continue;
                }
                for (InetAddress address : Collections.list(card.getInetAddresses())) {
                    if (address instanceof Inet4Address && !address.isLinkLocalAddress()) {
                        return address.getHostAddress();
                    }
                }
            }
            return LOOPBACK;
        } catch (SocketException e) {
            throw new IllegalStateException("cannot list network interfaces; set brokerIP1", e);
        }
    }
}
