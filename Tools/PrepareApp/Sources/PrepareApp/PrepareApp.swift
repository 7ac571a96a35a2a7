import Foundation

/// `prepare-app FROM TO [--app] [--verbose]` copies the sources of a module that was written for iOS, and rewrites what
/// Linux's compiler refuses. Files that have not changed are not written again, so that a build stays incremental.
@main struct PrepareApp {
    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isVerbose = arguments.contains("--verbose")
        let isApp = arguments.contains("--app")
        arguments.removeAll { $0.hasPrefix("--") }
        guard arguments.count == 2 else {
            fail("usage: prepare-app FROM TO [--app] [--verbose]")
        }
        do {
            let module = Module(
                from: URL(fileURLWithPath: arguments[0]), to: URL(fileURLWithPath: arguments[1]), isApp: isApp)
            try module.prepare { if isVerbose { print($0) } }
        } catch {
            fail("\(arguments[0]): \(error.localizedDescription)")
        }
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("prepare-app: \(text)\n".utf8))
        exit(1)
    }
}
