import BridgeProtocol
import BridgeTraffic

/// The answers to the calls of one `POST /rpc`, which the daemon holds as JSON text until the last call has ended.
///
/// If they become too large, this and all further answers are replaced by errors.
@MainActor final class HeldAnswers {
    private(set) var isFull = false
    /// The searches of the request run one at a time, so that none begins after the answers have become too large.
    let searches = TaskQueue()
    private let memory: MemoryShare
    private let limit: Int
    private var bytes = 0

    /// - Parameter limit: how many bytes the answers of one request may have.
    init(memory: MemoryShare, limit: Int) {
        self.memory = memory
        self.limit = min(limit, memory.limit)
    }

    deinit { memory.release(bytes) }

    /// Why answers were replaced; nil if none was.
    var refusal: Refusal? {
        guard isFull else { return nil }
        return Refusal(
            code: .memoryUsedUp, text: "The answers to one POST /rpc would have had more than \(limit) bytes.",
            hint: hint)
    }

    private var hint: String {
        "Make fewer calls at a time, ask for fewer records, or raise "
            + "\(setting("max-waiting-bytes", "limits.waitingBytes")) or \(setting("max-memory-bytes", "limits.memoryBytes"))."
    }

    /// The text of a response, or of an error if there is no room for it.
    func text(of response: ControlResponse, _ id: RequestID) -> [UInt8] {
        guard !isFull else { return refusedText(id) }
        var writer = JSONWriter()
        response.write(&writer)
        let text = writer.bytes
        guard bytes + text.count <= limit, memory.take(text.count) else {
            isFull = true
            return refusedText(id)
        }
        bytes += text.count
        return text
    }

    /// The text of the error that takes the place of an answer.
    func refusedText(_ id: RequestID) -> [UInt8] {
        var writer = JSONWriter()
        writer.error(id: id, noRoom)
        return writer.bytes
    }

    /// - Throws: `RPCError` if there is no room for another answer.
    func checkRoom() throws(RPCError) {
        if isFull { throw noRoom }
    }

    private var noRoom: RPCError {
        RPCError(
            .queueFull, "There is no room for this answer: those of one request have at most \(limit) bytes. \(hint)",
            data: ["limit": .number(Double(limit))])
    }

    /// Joins the texts to a JSON array, and frees each of them.
    func batch(_ texts: inout [[UInt8]]) -> [UInt8]? {
        guard !texts.isEmpty else { return nil }
        var batch: [UInt8] = []
        batch.reserveCapacity(texts.reduce(1) { $0 + $1.count + 1 })
        for index in texts.indices {
            batch.append(UInt8(ascii: index == 0 ? "[" : ","))
            batch += texts[index]
            texts[index] = []
        }
        batch.append(UInt8(ascii: "]"))
        return batch
    }
}
