import Foundation

/// The folders with the sources of packages: those that the user names, or clones in a cache.
struct Checkouts {
    let cache: URL
    let pins: PackagePins
    /// Folders by the identity of their package, which replace clones.
    let overrides: [String: URL]
    let log: (String) -> Void

    /// - Returns: a folder with a `Package.swift`.
    func folder(of package: PackageReference) throws(BuildFailure) -> URL {
        let folder = try place(of: package)
        guard FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) else {
            throw BuildFailure(
                "\(folder.path) has no Package.swift, although the app uses it as the package \(package.identity).")
        }
        return folder
    }

    /// Whether a package comes from a server.
    func fetches(_ package: PackageReference) -> Bool {
        guard overrides[package.identity] == nil, case .repository = package.place else { return false }
        return true
    }

    private func place(of package: PackageReference) throws(BuildFailure) -> URL {
        if let override = overrides[package.identity] { return override }
        switch package.place {
        case .folder(let folder): return folder
        case .repository(let repository): return try clone(repository, package)
        }
    }

    private func clone(_ repository: String, _ package: PackageReference) throws(BuildFailure) -> URL {
        let version = if let pin = pins[package.identity] { pin } else { try newestVersion(repository, package) }
        // git would take it for an option.
        guard version.utf8.first != UInt8(ascii: "-") else {
            throw BuildFailure(
                "The app wants the version '\(version)' of \(package.identity), which is none. Correct it there.")
        }
        let folder = folder(for: repository, package.identity, version)
        let name = folder.lastPathComponent
        guard !FileManager.default.fileExists(atPath: folder.path) else { return folder }
        log("Fetching \(package.identity) \(version.prefix(12)) from \(repository)")
        // A clone that is cut short must not look like a whole one.
        let part = cache.appendingPathComponent("\(name)-\(UUID().uuidString)", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: part) }
        do throws(BuildFailure) {
            try git(["clone", "--quiet", "--no-checkout", "--", repository, part.path])
            try git(["-C", part.path, "checkout", "--quiet", "--detach", version])
        } catch {
            throw BuildFailure(
                "\(error) Give a folder with its sources instead: --package \(package.identity)=FOLDER")
        }
        do { try FileManager.default.moveItem(at: part, to: folder) } catch {
            throw BuildFailure("\(folder.path) cannot be written: \(error.localizedDescription)")
        }
        return folder
    }

    /// The place of a clone. Another app may use a package of the same name and version from elsewhere, so the name alone
    /// does not say what a clone is.
    private func folder(for repository: String, _ identity: String, _ version: String) -> URL {
        let text = "\(identity)-\(version)"
        var name = Checkouts.fileName(text)
        if name != text { name += "-\(StableHash.of(text.utf8))" }
        let folder = cache.appendingPathComponent(name, isDirectory: true)
        guard FileManager.default.fileExists(atPath: folder.path) else { return folder }
        let origin = try? git(["-C", folder.path, "config", "--get", "remote.origin.url"])
        guard origin?.trimmingCharacters(in: .newlines) != repository else { return folder }
        return cache.appendingPathComponent("\(name)-\(StableHash.of(repository.utf8))", isDirectory: true)
    }

    /// A text with `-` in place of what may be no part of a file's name.
    private static func fileName(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar in
                let isPlain =
                    scalar.isASCII
                    && (scalar.properties.isAlphabetic || "0123456789._+-".unicodeScalars.contains(scalar))
                return isPlain ? Character(scalar) : "-"
            })
    }

    /// The newest tag that the package's requirement allows.
    private func newestVersion(_ repository: String, _ package: PackageReference) throws(BuildFailure) -> String {
        if case .exactly(let version) = package.versions { return version }
        let tags = try git(["ls-remote", "--tags", "--refs", "--", repository]).split(whereSeparator: \.isNewline)
            .compactMap { $0.split(separator: "/").last.map(String.init) }
        guard let newest = package.versions.newest(of: tags) else {
            throw BuildFailure(
                "\(repository) has no version that the app allows. Its tags: \(tags.joined(separator: " "))")
        }
        return newest
    }

    @discardableResult
    private func git(_ arguments: [String]) throws(BuildFailure) -> String {
        var git = Tool(name: "git")
        git.limit = .seconds(1_800)
        // A clean-up in the background would outlive git. A server that sends nothing for a minute has hung.
        let settings = ["gc.auto=0", "maintenance.auto=false", "http.lowSpeedLimit=1", "http.lowSpeedTime=60"]
        return try git.succeed(settings.flatMap { ["-c", $0] } + arguments)
    }
}

extension PackageReference.Versions {
    /// The newest of several tags that is allowed, without those of previews.
    func newest(of tags: [String]) -> String? {
        tags.compactMap { tag in Version(tag).map { (tag, $0) } }.filter { allows($0.1) }.max { $0.1 < $1.1 }?.0
    }

    private func allows(_ version: Version) -> Bool {
        guard case .range(let first, let end) = self, let first = Version(first), let end = Version(end) else {
            return true
        }
        return first <= version && version < end
    }
}

/// Three numbers, as in `1.2.0` or `v1.2`.
private struct Version: Comparable {
    let numbers: [Int]

    init?(_ tag: String) {
        let parts = (tag.hasPrefix("v") ? tag.dropFirst() : tag[...]).split(separator: ".")
        let numbers = parts.compactMap { Int($0) }
        guard (1...3).contains(numbers.count), numbers.count == parts.count else { return nil }
        self.numbers = numbers + Array(repeating: 0, count: 3 - numbers.count)
    }

    static func < (left: Version, right: Version) -> Bool { left.numbers.lexicographicallyPrecedes(right.numbers) }
}
