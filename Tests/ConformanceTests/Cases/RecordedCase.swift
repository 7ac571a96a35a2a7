import BridgeProtocol
import Foundation

/// A recorded case. The README beside the recordings explains the fields.
struct RecordedCase: Sendable, Decodable {
    let id: String
    let group: String
    let kind: String
    var script: String?
    var body: String?
    var args: [String: JSONValue]?
    var argTypes: [String: String]?
    var sourceURL: String?
    var async: Bool?
    var handlers: [Handler]
    var userScripts: [Script]?
    var steps: [Step]?
    /// The page to load first. Nil loads no page.
    var page: String?
    var files: [String: SiteFile]?
    var settings: JSONValue?
    var settleMs: Int?
    var flaky: Bool?
    var informational: Bool?
    var engineText: Bool?
    var enginePosition: Bool?
    var markLoads: Bool?
    var compactMessages: Bool?
    var expect: JSONValue

    struct Handler: Sendable, Decodable {
        let name: String
        var reply: String?
        var world: String?
    }

    struct Script: Sendable, Decodable {
        let source: String
        let at: String
        var frames: String?
        var world: String?
        var allow: [String]?
        var block: [String]?
    }

    /// A step of a case. `do` decides which of the other members it has.
    struct Step: Sendable, Decodable {
        let `do`: String
        var `as`: String?
        var script: String?
        var body: String?
        var args: [String: JSONValue]?
        var world: String?
        var sourceURL: String?
        var url: String?
        var wait: String?
        var html: String?
        var baseURL: String?
        var name: String?
        var reply: String?
        var source: String?
        var at: String?
        var ms: Int?
        var count: Int?
        var timeoutMs: Int?
        var text: String?
        var mode: String?
        var index: Int?
    }

    /// Whether the outcome counts in the scores.
    var isScored: Bool { flaky != true && informational != true }
}
