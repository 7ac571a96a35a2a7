import CWebKitGTK

extension GObject where Object == GInputStream {
    /// Reads so many bytes, or fewer at the end of the stream.
    /// - Parameter done: is called once; gets nil if the stream has failed.
    @MainActor func read(
        _ count: Int, _ cancellable: GObject<GCancellable>, done: @escaping @MainActor ([UInt8]?) -> Void
    ) {
        StreamReader(self, count, cancellable, done).read()
    }
}

/// Reads a stream piece by piece. What GLib calls keeps it.
@MainActor private final class StreamReader {
    private static let piece = 64 << 10
    private let stream: GObject<GInputStream>
    private let count: Int
    private let cancellable: GObject<GCancellable>
    private let done: @MainActor ([UInt8]?) -> Void
    private var bytes: [UInt8] = []

    init(
        _ stream: GObject<GInputStream>, _ count: Int, _ cancellable: GObject<GCancellable>,
        _ done: @escaping @MainActor ([UInt8]?) -> Void
    ) {
        (self.stream, self.count, self.cancellable, self.done) = (stream, count, cancellable, done)
    }

    func read() {
        let wanted = min(count - bytes.count, StreamReader.piece)
        guard wanted > 0 else { return done(bytes) }
        g_input_stream_read_bytes_async(
            stream.pointer, gsize(wanted), G_PRIORITY_DEFAULT, cancellable.pointer,
            { stream, result, data in
                let stream = UnsafeMutableRawPointer(stream)?.assumingMemoryBound(to: GInputStream.self)
                let piece = g_input_stream_read_bytes_finish(stream, result, nil)
                Callback<[UInt8]?>.take(data)?.run(piece.map(StreamReader.copy))
            }, Callback { self.received($0) }.retained())
    }

    private func received(_ piece: [UInt8]?) {
        guard let piece else { return done(nil) }
        guard !piece.isEmpty else { return done(bytes) }
        bytes += piece
        read()
    }

    /// - Parameter bytes: a reference that this function releases.
    private static func copy(_ bytes: OpaquePointer) -> [UInt8] {
        defer { g_bytes_unref(bytes) }
        var count: gsize = 0
        let start = g_bytes_get_data(bytes, &count)
        return Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
    }
}
