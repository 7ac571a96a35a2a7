import CBuild

/// What this program was built from.
package enum Build {
    /// The version of this program and of its package. `scripts/package` and `scripts/release` read it here.
    static let version = "0.1.0"

    /// The commit that `scripts/package` built; nil in a build by `swift build`, which may contain changes.
    package static var commit: String? {
        let commit = String(cString: bridged_commit())
        return commit.isEmpty ? nil : commit
    }
}
