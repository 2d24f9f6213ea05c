package dev.perigee.cli.option;

import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.address.AddressSettings;
import picocli.CommandLine.ITypeConverter;

/** Reads the addresses of servers. */
public final class Addresses implements ITypeConverter<String> {
    private static final Setting<String> KIND = AddressSettings.addresses("addresses");

    /** Called by picocli. */
    public Addresses() {}

    @Override
    public String convert(String text) {
        try {
            return KIND.parse(text);
        } catch (ConfigException e) {
            throw new UnacceptedValueException(text, e.accepted());
        }
    }
}
