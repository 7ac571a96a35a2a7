import Foundation

/// A module of the app, or of a package that it uses, as it is built on Linux.
struct AppModule {
    /// A file, and its path within the module's folder.
    struct File: Equatable {
        let file: URL
        let path: String
    }

    /// A resource as the package's manifest declares it: a file, or a folder.
    struct Resource: Equatable {
        let path: String
        /// Whether the bundle has it as it is, with its folders.
        let isCopied: Bool
    }

    enum Dependency: Hashable {
        case module(String)
        /// A product of a package that is built as it is.
        case product(String, package: String)
    }

    enum Kind {
        /// The module with the app's `main`.
        case app
        case library
        case tests
    }

    let name: String
    var kind = Kind.library
    var sources: [File] = []
    /// What `Bundle.module` has. An app's own resources are in `Bundle.main`.
    var resources: [Resource] = []
    var resourceFiles: [File] = []
    /// `5` or `6`.
    var languageMode = "5"
    /// Whether declarations belong to the main actor unless they say otherwise.
    var isOnMainActor = false
    /// The conditions of `#if`, such as `DEBUG`.
    var conditions: [String] = []
    var dependencies: [Dependency] = []

    var importsCombine: Bool {
        sources.contains { source in
            let text = (try? String(contentsOf: source.file, encoding: .utf8)) ?? ""
            // Line by line: in a whole text, a regex would look at thousands of empty lines from each of them.
            return text.split(whereSeparator: \.isNewline).contains { line in
                line.wholeMatch(of: /\s*(?:@\w+\s+|public\s+)*import\s+Combine\s*/) != nil
            }
        }
    }
}
