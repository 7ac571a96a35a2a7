import BridgeServer
import Foundation
import TestSupport
import Testing

/// The executable as a package installs it.
@Suite(.timeLimit(.minutes(2))) struct InstalledTests {
    @Test func saysItsVersionAndThoseOfItsLibraries() async throws {
        let outcome = try await Executable.run(["--version"])
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 0 && lines.count == 2)
        #expect(lines.first == "bridged \(BridgeServer.version) (development build)")
        let libraries = #/libwebsockets \d\S+, libuv \d\S+, jansson \d\S+, SQLite \d\S+/#
        #expect(lines.last?.wholeMatch(of: libraries) != nil, "\(lines)")
    }

    @Test func findsItsWebFilesInShare_alsoThroughALink() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The page is another one than that of the build, so that it cannot come from there.
        let install = """
            set -e; built=$1; shift; cd '\(folder.path)'; mkdir -p usr/bin usr/share
            cp "$built" usr/bin/bridged; ln -s usr/bin/bridged link
            cp -r "${built%/*}/bridged_WebFiles.resources" usr/share/bridged
            echo '<p>Installed</p>' >usr/share/bridged/demo/index.html
            exec ./link "$@"
            """
        let daemon = try RunningDaemon(["--port", "0", "--json"], by: install)
        let port = try await daemon.listening().port
        let page = try await HTTPClient.request(path: "/demo/", port: port)
        #expect(page.body == "<p>Installed</p>\n")
    }
}
