import BridgeProcesses
import Foundation
import TestSupport

/// Computes SHA-256 with the system's command, because Foundation on Linux does not have it.
enum SHA256 {
    static func hex(of text: String) -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sha256sum"]
        let (input, output) = (Pipe.withoutInheritance(), Pipe.withoutInheritance())
        process.standardInput = input
        process.standardOutput = output
        guard (try? process.run()) != nil else { return "no sha256sum on this machine" }
        input.fileHandleForWriting.write(Data(text.utf8))
        try? input.fileHandleForWriting.close()
        let line = String(decoding: output.fileHandleForReading.readAll(), as: UTF8.self)
        process.waitUntilExit()
        return String(line.prefix { $0 != " " })
    }
}
