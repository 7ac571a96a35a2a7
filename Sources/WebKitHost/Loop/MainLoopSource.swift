import BridgeBrowsers
import CWebKitGTK

/// Waits for a descriptor in GLib's loop, on the main thread.
@MainActor final class MainLoopSource: ReadSource {
    private let handler: @MainActor () -> Void
    private var id: guint = 0

    init(_ descriptor: Int32, _ handler: @escaping @MainActor () -> Void) {
        self.handler = handler
        let events = GIOCondition(G_IO_IN.rawValue | G_IO_HUP.rawValue | G_IO_ERR.rawValue)
        // Retained: GLib holds this until it destroys its source, and then calls the last function.
        id = g_unix_fd_add_full(
            G_PRIORITY_DEFAULT, descriptor, events,
            { _, _, data in
                guard let data else { return 0 }
                let source = Unmanaged<MainLoopSource>.fromOpaque(data).takeUnretainedValue()
                MainActor.assumeIsolated { source.handler() }
                return 1
            }, Unmanaged.passRetained(self).toOpaque(),
            { data in if let data { Unmanaged<MainLoopSource>.fromOpaque(data).release() } })
    }

    func cancel(whenCancelled: @escaping @MainActor () -> Void) {
        g_source_remove(id)
        whenCancelled()
    }
}
