import Foundation

/// `prepare-app FROM TO` copies the sources of a module that was written for iOS, and rewrites what Linux's compiler
/// refuses. `prepare-app --package FROM TO --bridged FOLDER` does so for each module of a package, and writes the
/// manifest. Files that have not changed are not written again, so that a build stays incremental.
@main struct PrepareApp {
    private static let usage = """
        usage: prepare-app FROM TO [--app | --test] [--verbose]
               prepare-app --package FROM TO --bridged FOLDER [--tests MODULE=FOLDER] [--verbose]
        """

    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        func take(_ flag: String) -> Bool {
            defer { arguments.removeAll { $0 == flag } }
            return arguments.contains(flag)
        }
        func value(_ option: String) -> String? {
            let index = arguments.firstIndex(of: option)
            guard let index, arguments.indices.contains(index + 1) else { return nil }
            defer { arguments.removeSubrange(index...(index + 1)) }
            return arguments[index + 1]
        }
        let (isVerbose, isApp, isTest, isPackage) = (
            take("--verbose"), take("--app"), take("--test"), take("--package")
        )
        let (bridged, tests) = (value("--bridged"), value("--tests"))
        guard arguments.count == 2, arguments.allSatisfy({ !$0.hasPrefix("-") }), !isPackage || bridged != nil else {
            fail(usage)
        }
        let (from, to) = (URL(fileURLWithPath: arguments[0]), URL(fileURLWithPath: arguments[1]))
        let log = { (line: String) in if isVerbose { print(line) } }
        do {
            if isPackage, let bridged {
                try PackageCopy(from: from, to: to, bridged: URL(fileURLWithPath: bridged), extraTests: tests)
                    .prepare(log: log)
            } else {
                try Module(from: from, to: to, isApp: isApp, isTests: isTest).prepare(log: log)
            }
        } catch let error as PackageError {
            fail(error.text)
        } catch {
            fail("\(arguments[0]): \(error.localizedDescription)")
        }
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("prepare-app: \(text)\n".utf8))
        exit(1)
    }
}
