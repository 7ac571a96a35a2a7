import Foundation

/// The files of this folder, which the package carries along as resources.
public enum WebFiles {
    /// - Parameter name: a path in `web/`, such as `demo/demo.js`. Nothing from outside goes in here.
    /// - Throws: `MissingWebFile` where the executable was moved without its resources.
    public static func read(_ name: String) throws(MissingWebFile) -> [UInt8] {
        let url = Bundle.module.bundleURL.appendingPathComponent(name)
        guard let data = try? Data(contentsOf: url) else { throw MissingWebFile(path: url.path) }
        return Array(data)
    }

    /// The `Content-Type` that goes with a file's ending.
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

/// A file that should be beside the executable.
public struct MissingWebFile: Error, CustomStringConvertible {
    public let path: String

    public init(path: String) { self.path = path }

    public var description: String {
        "\(path) is missing. Keep bridged_WebFiles.resources beside the executable, or build again."
    }
}
