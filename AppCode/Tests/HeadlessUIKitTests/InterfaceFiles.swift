import Foundation
import HeadlessUIKit
import Testing

/// Runs `body` with a bundle that has these files, such as `Main.storyboard`, and returns UIKit's warnings.
@discardableResult @MainActor
func withInterfaceFiles(_ files: [String: String], _ body: (Bundle) throws -> Void) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let base = folder.appendingPathComponent("Base.lproj")
    try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, content) in files { try Data(content.utf8).write(to: base.appendingPathComponent(name)) }
    var warnings: [String] = []
    let earlier = Transitions.shared.onWarning
    Transitions.shared.onWarning = { warnings.append($0) }
    defer { Transitions.shared.onWarning = earlier }
    try body(try #require(Bundle(url: folder)))
    return warnings
}
