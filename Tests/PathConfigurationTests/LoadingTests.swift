import Foundation
import PathConfiguration
import TestSupport
import Testing

/// Loads configurations from real files and real servers.
@MainActor @Suite(.timeLimit(.minutes(4))) struct LoadingTests {
    private let folder: TemporaryFolder
    private let server: ConfigurationServer
    private var options = PathConfiguration.ServerOptions()

    init() throws {
        folder = try TemporaryFolder()
        server = try ConfigurationServer(.body(Self.rules("fresh")))
        options.cache = PathConfigurationCache(folder: URL(fileURLWithPath: folder.path("cache")))
    }

    /// A configuration that gives every path the name of its source.
    private nonisolated static func rules(_ name: String) -> [UInt8] {
        Array(
            "{\"settings\": {\"from\": \"\(name)\"}, \"rules\": [{\"patterns\": [\".*\"], \"properties\": {\"from\": \"\(name)\"}}]}"
                .utf8)
    }

    /// The configuration after loading, and the events on the way.
    private func load(
        _ sources: [PathConfiguration.Source]
    ) async -> (configuration: PathConfiguration, observed: [String]) {
        var observed: [String] = []
        let configuration = PathConfiguration(sources: sources, server: options) { observed.append(Self.text($0)) }
        await configuration.finishLoading()
        return (configuration, observed)
    }

    private static func text(_ event: PathConfiguration.Event) -> String {
        switch event {
        case .updated(let source, let fromCache): "\(source)\(fromCache ? " from the cache" : "")"
        case .failed(_, let error): "\(error)"
        case .skipped(let source, let problem): "\(source), \(problem)"
        case .gaveUp(let pattern, _): "gave up \(pattern)"
        }
    }

    private func from(_ configuration: PathConfiguration) -> String? { configuration["/x"]["from"] }

    // MARK: Sources

    @Test func laterSourceWins() async throws {
        let file = folder.path("rules.json")
        try Data(Self.rules("file")).write(to: URL(fileURLWithPath: file))
        let data = Data(Self.rules("data"))
        let url = try server.url()
        let (configuration, observed) = await load([.data(data), .file(URL(fileURLWithPath: file)), .server(url)])
        #expect(observed == ["\(data.count) bytes of data", file, url.absoluteString])
        #expect(from(configuration) == "fresh")
        #expect(configuration.settings["from"] == "fresh")
        configuration.sources = [.data(data)]
        #expect(from(configuration) == "data")
    }

    /// See `PathConfiguration.swift`, `update(with:)`.
    @Test func lastAnswerCounts_notTheOrderOfSources() async throws {
        let (configuration, _) = await load([.server(try server.url()), .data(Data(Self.rules("data")))])
        #expect(from(configuration) == "fresh")
    }

    @Test func failedSourceIsReported_andChangesNothing() async throws {
        let missing = folder.path("none.json")
        let (configuration, observed) = await load([
            .data(Data(Self.rules("data"))), .file(URL(fileURLWithPath: missing)), .data(Data("{]".utf8)),
        ])
        #expect(from(configuration) == "data")
        #expect(
            observed.dropFirst() == [
                "Can't read \(missing): No such file or directory. Check the name and its permissions.",
                "2 bytes of data, line 1, column 2: this is not JSON: string or '}' expected near ']'. "
                    + "JSON has no comments, and no comma after the last element.",
            ])
    }

    @Test func skippedPatternIsReportedWithItsPlace() async throws {
        let text = "{\"rules\": [\n{\"patterns\": [\"*\"], \"properties\": {}}]}"
        let (_, observed) = await load([.data(Data(text.utf8))])
        #expect(
            observed.dropFirst() == [
                "51 bytes of data, line 2, $.rules[0].patterns[0]: skipping \"*\", which is not a valid regular expression: "
                    + "there is nothing before this * to repeat. Write .* to match any characters, or \\\\* to match a *."
            ])
    }

    @Test func observersReceiveEventsOfReload() async throws {
        let (configuration, _) = await load([.server(try server.url())])
        var observed: [String] = []
        configuration.observe { observed.append(Self.text($0)) }
        server.set(.body(Self.rules("newer")))
        configuration.reload()
        #expect(from(configuration) == "fresh")
        await configuration.finishLoading()
        #expect(observed == [try server.url().absoluteString] && from(configuration) == "newer")
    }

    // MARK: Servers

    @Test func cachedAnswerIsUsedUntilTheNewOneArrives() async throws {
        let url = try server.url()
        _ = await load([.server(url)])
        server.set(.body(Self.rules("newer")))
        let (configuration, observed) = await load([.server(url)])
        #expect(observed == ["\(url) from the cache", url.absoluteString])
        #expect(from(configuration) == "newer")
        server.set(.body([], status: 500))
        #expect(from(await load([.server(url)]).configuration) == "newer")
    }

    @Test func cacheHasOneFilePerURL() async throws {
        server.set(.body(Self.rules("query")), at: "/rules.json?v=2")
        let urls = [try server.url(), try server.url("/rules.json?v=2")]
        for url in urls { _ = await load([.server(url)]) }
        server.set(.body([], status: 503))
        #expect(from(await load([.server(urls[0])]).configuration) == "fresh")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("cache")).count == 2)
    }

    @Test func redirectIsFollowed() async throws {
        server.set(.body([], status: 302, headers: ["Location: /rules.json"]), at: "/old.json")
        #expect(from(await load([.server(try server.url("/old.json"))]).configuration) == "fresh")
    }

    @Test func redirectToAnotherOriginIsRefused() async throws {
        let other = try ConfigurationServer(.body(Self.rules("other")))
        let location = "Location: \(try other.url())?secret=1"
        for answer in [
            .body([], status: 302, headers: [location]),
            .endless(head: "HTTP/1.1 302 -\r\n\(location)\r\n\r\n", repeating: "more"),
        ] as [ConfigurationServer.Answer] {
            server.set(answer)
            let url = try server.url()
            #expect(
                await load([.server(url)]).observed == [
                    "\(url) redirects to another origin, http://127.0.0.1:\(try other.url().port ?? 0). "
                        + "Give the address of the path configuration itself."
                ])
        }
        #expect(other.requests == [])
    }

    // MARK: Slow patterns

    /// A slow pattern that a page's path keeps busy is reported once, and given up for good after some times. The rules
    /// around it apply all the same.
    @Test func slowPatternIsReportedOnce_andGivenUp() async throws {
        let text = #"""
            {"rules": [{"patterns": ["^/a"], "properties": {"first": 1}},
            {"patterns": ["^(/.+)+/edit$"], "properties": {"slow": 1}},
            {"patterns": ["a{3}/"], "properties": {"last": 1}}]}
            """#
        let (configuration, _) = await load([.data(Data(text.utf8))])
        var observed: [String] = []
        configuration.observe { observed.append(Self.text($0)) }
        let path = String(repeating: "/aaa", count: 100)
        for _ in 0..<9 { #expect(configuration[path] == ["first": 1]) }
        #expect(configuration["/aaa/edit"] == ["first": 1, "slow": 1, "last": 1])
        #expect(observed == ["gave up ^(/.+)+/edit$"])
        _ = configuration[path]
        #expect(configuration[path] == ["first": 1, "last": 1])
        #expect(configuration["/aaa/edit"] == ["first": 1, "last": 1])
    }

    /// Wrong answers of a server, with the error. `URL` is replaced by the server's address.
    nonisolated static let wrong: [(answer: ConfigurationServer.Answer, error: String)] = [
        (
            .body([], status: 404),
            "URL answered with status 404, expected 200. Check the path, and that it does not require a login."
        ),
        (
            .body(rules("created"), status: 201),
            "URL answered with status 201, expected 200. Check the path, and that it does not require a login."
        ),
        (.silence, "URL did not answer within 1 s. Check that the server is running."),
        (
            .body(Array("<!doctype html>".utf8)),
            "URL, line 1, column 1: this is not JSON: invalid token near '<'. "
                + "JSON has no comments, and no comma after the last element."
        ),
        (
            .body(Array("{\"rules\": {}}".utf8)),
            "URL, line 1, $.rules: expected a list of rules, found object without keys. "
                + "Write \"rules\": [{\"patterns\": [\"/new$\"], \"properties\": {}}]."
        ),
        (
            .body([UInt8](repeating: 0x20, count: 20_000)),
            "URL answered with more than 10000 bytes. Check that it is a path configuration."
        ),
        (.flood, "URL answered with more than 10000 bytes. Check that it is a path configuration."),
    ]

    @Test(arguments: wrong.indices)
    mutating func wrongAnswerLeavesTheLastGoodOneInForce(_ index: Int) async throws {
        let wrong = Self.wrong[index]
        let url = try server.url()
        #expect(await load([.server(url)]).observed == [url.absoluteString])
        server.set(wrong.answer)
        options.timeout = .seconds(1)
        options.maximumSize = 10_000
        let (configuration, observed) = await load([.data(Data(Self.rules("data"))), .server(url)])
        #expect(from(configuration) == "fresh")
        #expect(observed.last == wrong.error.replacing("URL", with: url.absoluteString))
        #expect(from(await load([.server(url)]).configuration) == "fresh")
    }

    @Test func cacheIsUsedOffline_andTheErrorIsReported() async throws {
        let gone = try ListeningSocket().port
        let url = try #require(URL(string: "http://127.0.0.1:\(gone)/rules.json"))
        try options.cache?.store(Data(Self.rules("kept")), for: url)
        let (configuration, observed) = await load([.server(url)])
        #expect(from(configuration) == "kept")
        #expect(observed.count == 2 && observed[1].hasPrefix("Can't reach \(url): "))
        #expect(observed[1].hasSuffix(". Check that the server is running and that the address is right."))
    }

    /// The kernel kills the real program after it has written the first 32 KiB of the file.
    @Test mutating func cacheIsCompleteAfterKillDuringWrite() async throws {
        let url = try server.url()
        let environment = ["XDG_CACHE_HOME": folder.path("xdg")]
        options.cache = PathConfigurationCache(
            folder: URL(fileURLWithPath: folder.path("xdg/bridged/path-configurations")))
        let arguments = ["path", "explain", "/x", "--config", url.absoluteString]
        #expect(try await Executable.run(arguments, environment: environment).status == 0)
        let filler = String(repeating: "x", count: 400_000)
        server.set(.body(Array("{\"settings\": {\"filler\": \"\(filler)\"}, \"rules\": []}".utf8)))
        // This thread may block the signal, and the child would inherit that.
        let script = "ulimit -f 64; exec env --default-signal=XFSZ \"$@\""
        let killed = try await Executable.run(arguments, environment: environment, by: script)
        #expect(killed.status == 128 + SIGXFSZ)
        #expect(options.cache?.data(for: url) == Data(Self.rules("fresh")))
        server.set(.body([], status: 500))
        #expect(from(await load([.server(url)]).configuration) == "fresh")
    }

    /// Data and files are read before anyone can observe.
    @Test func laterObserverReceivesWhatIsWrong() throws {
        let missing = folder.path("missing.json")
        let pattern = #"{"rules":[{"patterns":["["],"properties":{}}]}"#
        let configuration = PathConfiguration(sources: [
            .file(URL(fileURLWithPath: missing)), .data(Data(pattern.utf8)),
        ])
        var observed: [String] = []
        configuration.observe { observed.append(Self.text($0)) }
        #expect(observed.count == 2)
        #expect(
            observed.first == "Can't read \(missing): No such file or directory. Check the name and its permissions.")
        #expect(observed.last?.contains("rules[0].patterns[0]") == true)
        configuration.sources = []
        configuration.observe { observed.append(Self.text($0)) }
        #expect(observed.count == 2)
    }
}
