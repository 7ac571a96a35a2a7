import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

/// WebKit's end of a posted message: settles the promise that `postMessage` has returned.
///
/// WebKitGTK fulfills the promise with undefined if it is released without an answer.
@MainActor final class PendingReply {
    private let reply: OpaquePointer

    init(_ reply: OpaquePointer) { self.reply = webkit_script_message_reply_ref(reply) }

    isolated deinit { webkit_script_message_reply_unref(reply) }

    func settle(_ end: MessageEnd, with codec: ScriptValueCodec) {
        switch end {
        case .handled: fulfill(codec.undefined)
        case .reply(let result):
            fulfill(codec.make(json: result["value"]?.text ?? "null", types: result["types"]?.text))
        case .failed(let error): reject(error.message)
        }
    }

    func reject(_ message: String) { webkit_script_message_reply_return_error_message(reply, message) }

    private func fulfill(_ value: GObject<JSCValue>) {
        webkit_script_message_reply_return_value(reply, value.pointer)
    }
}
