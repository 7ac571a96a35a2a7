import BridgeProtocol
import CWebKitGTK

/// Tells the uncaught errors of pages. WebKitGTK gives no console to this process, but a script in a content world of its
/// own hears the events of the page's errors. The page cannot post to that script's handler.
@MainActor final class UncaughtErrors {
    private let handler: HostMessageHandler
    private static let handlerName = "bridgedErrors"

    init(in manager: GObject<WebKitUserContentManager>, onError: @escaping @MainActor (ConsoleEntry) -> Void) {
        handler = HostMessageHandler(UncaughtErrors.handlerName, in: manager) { text in
            // Only the script below posts here, so other texts do not come.
            guard let params = try? JSON.parse(Array(text.utf8), .untrusted),
                let entry = try? ConsoleEntry(params: params)
            else { return }
            onError(entry)
        }
        manager.add(UncaughtErrors.listener, in: HostedWebView.world, frames: WEBKIT_USER_CONTENT_INJECT_TOP_FRAME)
    }

    /// Tells at most a hundred errors in a second, as `bridge.js` does.
    private static let listener = """
        {
          let count = 0
          const tell = (kind, text, details) => {
            if (count === 0) setTimeout(() => { count = 0 }, 1_000)
            if (count++ >= 100) return
            const clipped = `${text}`.slice(0, 10_000)
            const entry = { level: "error", kind, text: clipped.toWellFormed?.() ?? clipped, ...details }
            webkit.messageHandlers.\(handlerName).postMessage(JSON.stringify(entry))
          }
          addEventListener("error", (event) => {
            // Elements that do not load fire events of the same name.
            if (!(event instanceof ErrorEvent)) return
            const { filename, lineno, colno } = event
            const place = lineno > 0 ? { line: lineno, column: Math.max(1, colno) } : {}
            tell("exception", event.message, { url: filename || undefined, ...place })
          }, true)
          addEventListener("unhandledrejection", ({ reason }) => {
            let text = "a promise was rejected, and nothing handles it"
            try { text = String(reason) } catch {}
            tell("rejection", text, { url: location.href })
          })
        }
        """
}
