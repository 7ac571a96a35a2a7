import BridgeProcesses
import Foundation
import TestSupport

/// Computes SHA-256 with the system's command, because Foundation on Linux does not have it.
enum SHA256 {
    static func hex(of text: String) -> String {
        let (input, output) = (Pipe.withoutInheritance(), Pipe.withoutInheritance())
        let process = try? ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"), ["sha256sum"], input: .pipe(input),
            output: .pipe(output))
        guard let process else { return "no sha256sum on this machine" }
        input.fileHandleForWriting.write(Data(text.utf8))
        try? input.fileHandleForWriting.close()
        let line = String(decoding: output.fileHandleForReading.readAll(), as: UTF8.self)
        process.waitForEnd()
        return String(line.prefix { $0 != " " })
    }
}
