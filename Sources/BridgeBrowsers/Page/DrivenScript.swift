import BridgeProtocol
import Foundation
import WebFiles

/// `web/driven.js` with the settings of one world, and the names under which a browser offers its driver to it.
struct DrivenScript {
    /// The message of the dialog with which the script calls a method of an interface object, and the name of the event
    /// with which a frame asks for the handlers of the page around it. No page can guess it.
    static let secret = "bridged " + UUID().uuidString

    /// The function expression of `web/driven.js`.
    private let program: String

    /// - Throws: `MissingWebFile` if the executable was moved without its resources.
    init() throws {
        program = try WebFiles.script("driven.js").trimmingCharacters(in: .newlines)
    }

    /// Returns the script for a world.
    /// - Parameters:
    ///   - send: an expression of the function that takes text for the driver.
    ///   - expose: an expression of the function that hands an object to the driver.
    func source(_ settings: WebViewSettings, world: String?, send: String, expose: String) -> String {
        var writer = JSONWriter(escaping: .html)
        WorldSettings(settings: settings, world: world).write(to: &writer)
        return "(\(program))(\(writer.text), \(send), \(expose))"
    }
}
