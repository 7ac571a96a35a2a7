import BridgeProtocol

/// How much the pages of a driven browser may make its driver keep, and how long it waits for the daemon.
///
/// Each limit and its default are declared here and nowhere else.
package struct DriverLimits: Sendable {
    /// How many messages of a document may wait for the daemon, and how many for a reply: as many as `bridge.js` keeps.
    package var messages = 100_000
    /// How many bytes the messages of a document may have that wait for the daemon.
    package var messageBytes = 64 << 20
    /// How many bytes the messages of all documents of a web view, and of the windows that they open, may have.
    package var totalBytes = 256 << 20
    /// How many page updates, console entries and facts about requests may wait for a connection.
    package var notifications = 1_000
    /// How many questions of a document to native code may have no answer.
    package var questions = 1_000
    /// How long a question may wait for a connection to the daemon. Once the daemon has it, native code takes its time.
    package var questionTimeout = Duration.seconds(10)
    /// How many events of a browser may wait until it has announced what they are about.
    package var events = 1_000
    /// How many clicks, windows and requests may be noted whose loads have not begun.
    package var notes = 100

    package init() {}
}

/// What the daemon takes in one message, as its answer to `page.attach` says; anything before that.
struct FrameLimits {
    private(set) var bytes = Int.max
    private(set) var json = JSON.Limits()

    init() {}

    init(_ attached: AttachResult) {
        bytes = attached.maxMessageBytes
        json = attached.limits ?? JSON.Limits()
    }

    /// Explains why the daemon would refuse a frame; nil if it takes it.
    func objection(to frame: [UInt8]) -> String? {
        guard frame.count <= bytes else {
            return "it has \(frame.count) bytes, and the daemon takes \(bytes) a message"
        }
        do {
            try frame.withUnsafeBytes { bytes in Result { () throws(JSONParseError) in try JSON.check(bytes, json) } }
                .get()
            return nil
        } catch {
            let text = "\(error)"
            return text.hasSuffix(".") ? String(text.dropLast()) : text
        }
    }
}
