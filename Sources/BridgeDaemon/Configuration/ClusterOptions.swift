import ArgumentParser

/// The flags of `serve` for a cluster of daemons.
struct ClusterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Work together with the other daemons that name this Redis, such as redis://host:6379/0?name=staging.",
            discussion: "A password is not shown to others in the environment variable BRIDGED_CLUSTER.",
            valueName: "url"))
    var cluster: String?

    @Flag(
        help:
            "Let pages go on with another daemon of the cluster when one is gone, without loss. Each reply waits for Redis."
    )
    var clusterDurable = false
}
