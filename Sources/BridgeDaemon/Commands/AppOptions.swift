import AppBuild
import ArgumentParser
import BridgeBrowsers
import BridgeClient
import BridgeProtocol
import BridgeTraffic
import Foundation

/// The options of commands that build an iOS app's own Swift.
struct AppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app's target, if the project has several apps.", valueName: "name"))
    var target: String?

    @Option(
        help: ArgumentHelp(
            "The shared scheme whose environment variables the app gets. (default: the first)", valueName: "name"))
    var scheme: String?

    @Option(
        help: ArgumentHelp(
            "The web app's server. It replaces the one in the app's source; see --origin.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "An origin in the app's source that --url replaces; may be repeated. (default: the only one)",
            valueName: "origin"))
    var origin: [String] = []

    @Option(
        help: ArgumentHelp(
            "A folder with a package, instead of what the project names; may be repeated.", valueName: "name=folder"))
    var package: [String] = []

    @Flag(
        name: .customLong("strict"),
        help: "Refuse an app of which something must be left out so that it compiles.")
    var isStrict = false

    /// Whether the command line has one of these options.
    var isGiven: Bool {
        target != nil || scheme != nil || url != nil || !origin.isEmpty || !package.isEmpty || isStrict
    }

    func validate() throws {
        _ = try folders
        guard !origin.map(Origin.of).contains("null") else {
            throw ValidationError("--origin needs an address like https://example.com.")
        }
        guard origin.isEmpty || url != nil else {
            throw ValidationError("--origin needs --url, which says what replaces it.")
        }
        guard url == nil || Origin.of(url ?? "") != "null" else {
            throw ValidationError("--url needs an address like http://localhost:3000.")
        }
    }

    private var folders: [String: URL] {
        get throws {
            var folders: [String: URL] = [:]
            for text in package {
                let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2 else {
                    throw ValidationError("--package needs a name and a folder, as in hotwire-native-ios=../sources.")
                }
                folders[parts[0].lowercased()] = URL(fileURLWithPath: parts[1], isDirectory: true).standardizedFileURL
            }
            return folders
        }
    }

    /// Builds the app or its unit tests, and prints what is done, and why it cannot be built. A mistake in the options is
    /// found before that.
    /// - Parameters:
    ///   - project: an executable that `bridged run --build` has made is used as it is.
    ///   - runsFlows: whether flows can run in the app.
    /// - Returns: the lines of `BRIDGED_ORIGINS`, too: each origin that `--url` replaces, and the new one.
    func build(
        _ project: String, hasTests: Bool = false, runsFlows: Bool = true, isVerbose: Bool
    ) throws -> (app: BuiltApp, origins: [String]) {
        if isExecutable(project) {
            if let option = isStrict ? "--strict" : scheme == nil ? nil : "--scheme" {
                throw CommandFailure("\(option) has no effect: \(project) is built already. Name its project.", .usage)
            }
            let app = BuiltApp(executable: URL(fileURLWithPath: project))
            guard app.runsFlows != false || !runsFlows else {
                throw CommandFailure(
                    "\(project) has nothing that runs flows, because bridged run has built it only to run it. Name its "
                        + "project instead, or build it again: bridged run PROJECT --build", .usage)
            }
            warnIfNothingIsReplaced(in: app)
            return (app, try replacedOrigins(among: app.origins ?? []))
        }
        var build = AppBuild(project: project)
        build.target = target
        build.scheme = scheme
        build.packages = try folders
        build.isStrict = isStrict
        build.log = { Terminal.printError(TerminalText.escape($0)) }
        if isVerbose { build.onDetail = { Terminal.printError("  " + TerminalText.escape($0)) } }
        let source = try printing { () throws(BuildFailure) in try build.readSource(hasTests: hasTests) }
        let origins = try replacedOrigins(among: source.origins)
        let app = try printing { () throws(BuildFailure) in
            try build.build(source, hasTests: hasTests, runsFlows: runsFlows)
        }
        if let cuts = app.cuts, !cuts.isEmpty { Terminal.printError(TerminalText.escapeLines(cuts.description)) }
        return (app, origins)
    }

    private func warnIfNothingIsReplaced(in app: BuiltApp) {
        guard url != nil, origin.isEmpty, app.origins == nil else { return }
        Terminal.printError(
            "warning: \(TerminalText.escape(app.executable.path)) does not say which servers its source names, so that "
                + "--url replaces none of them. Name them: --origin https://example.com")
    }

    /// Prints why an app cannot be built.
    private func printing<Result>(_ step: () throws(BuildFailure) -> Result) throws -> Result {
        do throws(BuildFailure) {
            return try step()
        } catch {
            Terminal.printError("error: " + TerminalText.escapeLines(error.description))
            throw ExitCode.failure
        }
    }

    private func isExecutable(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
            && FileManager.default.isExecutableFile(atPath: path)
    }

    /// What the app finds in its environment: this process's, with its scheme's where that says nothing, and what
    /// becomes of its web app's server.
    /// - Parameters:
    ///   - origins: see ``build(_:hasTests:isVerbose:)``.
    ///   - phone: what the app finds on the phone; nil if nothing is said of it.
    func environment(of app: BuiltApp, _ origins: [String], on phone: PhoneSettings? = nil) -> [String: String] {
        app.environment.merging(ProcessInfo.processInfo.environment) { $1 }.merging([
            "BRIDGED_ORIGINS": origins.joined(separator: "\n"), "BRIDGED_APP_ORIGIN": url.map(Origin.of) ?? "",
            "BRIDGED_PHONE": phone?.environmentValue ?? "",
        ]) { $1 }
    }

    /// - Parameter all: the origins in the app's source; empty if they are not known.
    /// - Throws: `CommandFailure` if it is not clear which of them `--url` replaces.
    private func replacedOrigins(among all: [String]) throws -> [String] {
        guard let url else { return [] }
        let (new, named) = (Origin.of(url), origin.map(Origin.of))
        let found = all.filter { $0 != new }
        let others = found.filter { !AppOptions.isLocal($0) }
        guard !named.isEmpty || others.count <= 1 else {
            // Debug builds, as those of bridged are, usually take the server of the developer's machine.
            let proposal = found.first(where: AppOptions.isLocal) ?? others.first ?? ""
            throw CommandFailure(
                "The app's source has several origins: \(found.joined(separator: ", ")). "
                    + "Say which of them --url replaces: --origin \(proposal)", .usage)
        }
        let replaced = named.isEmpty ? found : named
        for origin in replaced {
            let isMissing = !all.isEmpty && !all.contains(origin)
            Terminal.printError(
                isMissing
                    ? "warning: \(origin) is not in the app's source, which has \(all.joined(separator: ", "))"
                    : "\(origin) in the app's source is \(new) now")
        }
        return replaced.map { "\($0) \(new)" }
    }

    /// Whether an origin is on the developer's machine, or in a network without addresses of its own (RFC 1918), where a
    /// phone reaches that machine.
    private static func isLocal(_ origin: String) -> Bool {
        let host = URLComponents(string: origin)?.host ?? ""
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasSuffix(".local") || host == "[::1]"
            || host.prefixMatch(of: /(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/) != nil
    }
}
