package dev.perigee.cli;

import picocli.CommandLine.IVersionProvider;

/** The version of this build. */
public final class Version implements IVersionProvider {
    /** Made by picocli. */
    public Version() {}

    /** The version in the manifest; {@code development} when classes are not in their jar. */
    public static String number() {
        String inManifest = Version.class.getPackage().getImplementationVersion();
        return inManifest == null ? "development" : inManifest;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"perigee " + number()};
    }
}
