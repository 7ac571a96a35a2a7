import ArgumentParser
import BridgeProtocol
import Foundation
import Turbo

/// `bridged route`.
struct Route: ParsableCommand {
    @Option(help: ArgumentHelp("Run recorded cases from a file, or from standard input with -.", valueName: "file"))
    var steps: String?

    func run() throws {
        let data = steps == "-" ? FileHandle.standardInput.readDataToEndOfFile() : try Data(contentsOf: URL(fileURLWithPath: steps ?? ""))
        let json = try data.withUnsafeBytes { bytes in try JSON.parse(bytes) }
        json.forEachElement { element in
            var writer = JSONWriter()
            do { try RecordedCase(element).writeResult(to: &writer) } catch { print("error \(error)") }
            print(writer.text)
        }
    }
}
