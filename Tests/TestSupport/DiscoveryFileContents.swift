import BridgeProtocol
import Foundation

/// The contents and permissions of a discovery file, as a tool reads them.
public struct DiscoveryFileContents {
    public let url: String
    public let token: String
    public let mode: Int
    public let folderMode: Int

    public init(path: String) throws {
        let json = try JSON.parse(String(decoding: Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self))
        url = json["url"]?.string ?? ""
        token = json["token"]?.string ?? ""
        mode = try DiscoveryFileContents.mode(of: path)
        folderMode = try DiscoveryFileContents.mode(of: (path as NSString).deletingLastPathComponent)
    }

    private static func mode(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }
}
