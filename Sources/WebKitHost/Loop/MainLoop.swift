import BridgeBrowsers
import CMainQueue
import CWebKitGTK
import Foundation

/// The loop of the main thread: GLib's, in which the main dispatch queue waits as well. Everything of WebKit and all
/// code on the main actor runs here.
@MainActor enum MainLoop {
    private static let loop = g_main_loop_new(nil, 0)
    /// What to do when everything that has arrived is handled, just before the loop waits again.
    private static var beforeWait: [@MainActor () -> Void] = []

    /// Runs until `stop`.
    static func run() {
        g_unix_fd_add(
            _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
            { descriptor, _, _ in
                bridged_drain_main_queue(descriptor)
                return 1
            }, nil)
        ReadSources.make = { MainLoopSource($0, $1) }
        bridged_before_wait { MainActor.assumeIsolated { MainLoop.endRound() } }
        g_main_loop_run(loop)
    }

    static func stop() { g_main_loop_quit(loop) }

    /// Runs `action` once, before the loop waits again.
    static func afterRound(_ action: @escaping @MainActor () -> Void) { beforeWait.append(action) }

    private static func endRound() {
        guard !beforeWait.isEmpty else { return }
        let actions = beforeWait
        beforeWait = []
        for action in actions { action() }
    }
}
