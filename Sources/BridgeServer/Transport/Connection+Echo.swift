#if BRIDGED_ECHO
    import BridgeProtocol
    internal import CWebsockets

    /// An echo for Autobahn's test suite, which compares each answer with what it has sent. Only `scripts/autobahn` builds it.
    extension Connection {
        /// Sends a complete message back: text as all messages of the daemon go, binary past the outbox, which has only text.
        func echo(_ bytes: UnsafeRawBufferPointer, to channel: Channel) -> Int32 {
            guard let wsi else { return -1 }
            if lws_frame_is_binary(wsi) != 0 {
                var frame = [UInt8](repeating: 0, count: EventLoop.headroom) + bytes
                return write(&frame, LWS_WRITE_BINARY) ? 0 : -1
            }
            // A text that is not JSON is refused for that before its end is checked. So this makes a JSON string of it.
            let quote = UInt8(ascii: "\"")
            let text = bytes.map { $0 < 0x20 || $0 == quote || $0 == UInt8(ascii: "\\") ? 0x20 : $0 }
            do throws(JSONParseError) { _ = try JSON.parse([quote] + text + [quote]) } catch {
                return refuseInvalidUTF8(error)
            }
            channel.send { [text = Array(bytes)] in $0.raw(text) }
            return 0
        }
    }
#endif
