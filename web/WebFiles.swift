import Foundation

/// The files of this folder, which are resources of the package.
public enum WebFiles {
    /// Where the files are: beside the executable, or in `share/bridged` beside its folder, as in an installed package.
    /// An executable of a Mac's tests, or of an app, has them where they were built.
    private static let folder: URL = {
        let executable = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? Bundle.main.bundleURL
        let own = executable.deletingLastPathComponent()
        let beside = own.appendingPathComponent("bridged_WebFiles.resources")
        let places = [beside, own.deletingLastPathComponent().appendingPathComponent("share/bridged")]
        let found = places.first {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("bridge.js").path)
        }
        // `Bundle.module` contains the path of the build, and it ends the process if nothing is there.
        #if BRIDGED_PACKAGE
            return found ?? beside
        #else
            return found ?? Bundle.module.bundleURL
        #endif
    }()

    /// - Parameter name: a path in `web/`, such as `demo/demo.js`. It is not checked, so it must not come from a
    ///   request.
    /// - Throws: `MissingWebFile` if the executable was moved without its resources.
    public static func read(_ name: String) throws(MissingWebFile) -> [UInt8] {
        let url = folder.appendingPathComponent(name)
        guard let data = try? Data(contentsOf: url) else { throw MissingWebFile(path: url.path) }
        return Array(data)
    }

    /// The names of the files in a folder of `web/`, sorted. Empty if the executable was moved without its resources.
    public static func names(in folder: String) -> [String] {
        let path = self.folder.appendingPathComponent(folder).path
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// - Parameter name: the path of a text file in `web/`, such as `turbo.js`.
    /// - Throws: `MissingWebFile` if the executable was moved without its resources.
    public static func text(of name: String) throws(MissingWebFile) -> String {
        String(decoding: try read(name), as: UTF8.self)
    }

    /// `elements.js`, an expression, without its comments and indentation. It is read once.
    public static let elements = Result { () throws(MissingWebFile) in
        try text(of: "elements.js").split(separator: "\n")
            .map { $0.drop { $0 == " " } }
            .filter { line in !["//", "/*", "*"].contains { line.hasPrefix($0) } }
            .joined(separator: "\n")
    }

    /// The content world of a driven page in which `elements.js` and `tap.js` run. There the page cannot have replaced what
    /// they use.
    public static let elementsWorld = "bridged:input"

    /// Reads a script, and replaces each line `/* bridged:part NAME */` in it with `web/bridge/NAME.js`.
    ///
    /// - Throws: `MissingWebFile` if the executable was moved without its resources.
    public static func script(_ name: String) throws(MissingWebFile) -> String {
        let marker = "  /* bridged:part "
        var lines: [String] = []
        for line in try text(of: name).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(marker) {
                let path = "bridge/\(line.dropFirst(marker.count).prefix { $0 != " " }).js"
                lines += ["// ---- web/\(path) ----", "", try text(of: path)]
            } else {
                lines.append(String(line))
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The `Content-Type` that belongs to a file name extension.
    public static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}

/// A resource was not found beside the executable.
public struct MissingWebFile: Error, CustomStringConvertible {
    public let path: String

    public init(path: String) { self.path = path }

    public var description: String {
        """
        \(path) is missing. Keep bridged_WebFiles.resources beside the executable, or its files in ../share/bridged.
        """
    }
}
