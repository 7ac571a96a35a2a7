import BridgeProtocol
import TestSupport
import Testing

/// Tests `bridged doctor --install`, which needs no daemon.
struct InstallationTests {
    @Test func namesTheFilesOfLibraries_andWhatInstallsAMissingBrowser() async throws {
        let outcome = try await Executable.run(
            ["doctor", "--install", "--json"], environment: ["PATH": "/nowhere"])
        var found: [String: JSON] = [:]
        for line in outcome.output.split(separator: "\n") {
            let part = try JSON.parse(line)
            found[try #require(part["name"]?.string)] = part
        }
        #expect(found["libcurl"]?["found"]?.string?.contains("/libcurl.so.4") == true, "\(outcome.output)")
        #expect(found["libhiredis"]?["found"]?.string?.hasPrefix("/") == true, "\(outcome.output)")
        #expect(found["Chromium"]?["found"] == nil, "\(outcome.output)")
        #expect(found["Chromium"]?["install"]?.string?.isEmpty == false, "\(outcome.output)")
    }
}
