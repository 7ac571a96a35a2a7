import Foundation

/// `prepare-app FROM TO` copies the sources of a module that was written for iOS, and rewrites what Linux's compiler
/// refuses. `bridged run` calls it for each module. Files that have not changed are not written again, so that a build
/// stays incremental.
@main struct PrepareApp {
    private static let usage = """
        usage: prepare-app FROM TO [--app | --test] [--repairs FILE [--errors FILE]] [--verbose]

        --repairs   says what is cut out of the module, and is written anew
        --errors    what the compiler has said about the last copy: what it refuses is cut out, too
        """

    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        func take(_ flag: String) -> Bool {
            defer { arguments.removeAll { $0 == flag } }
            return arguments.contains(flag)
        }
        func value(_ flag: String) -> String? {
            guard let index = arguments.firstIndex(of: flag), index + 1 < arguments.count else { return nil }
            defer { arguments.removeSubrange(index...index + 1) }
            return arguments[index + 1]
        }
        let (repairs, errors) = (value("--repairs"), value("--errors"))
        let (isVerbose, isApp, isTest) = (take("--verbose"), take("--app"), take("--test"))
        guard arguments.count == 2, arguments.allSatisfy({ !$0.hasPrefix("-") }) else { fail(usage) }
        let (from, to) = (URL(fileURLWithPath: arguments[0]), URL(fileURLWithPath: arguments[1]))
        do {
            var module = Module(from: from, to: to, isApp: isApp, isTests: isTest)
            module.repairs = repairs.map { URL(fileURLWithPath: $0) }
            module.compilerOutput = try errors.map { try String(contentsOfFile: $0, encoding: .utf8) }
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
