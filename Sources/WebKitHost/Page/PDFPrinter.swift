import BridgeProtocol
import CWebKitGTK
import Foundation

/// Prints the document of a web view.
@MainActor final class PDFPrinter {
    /// The print operations that run.
    private var prints: [PrintWatch] = []

    /// Prints to a file, as GTK's printer "Print to File" does.
    /// - Returns: a PDF in base64.
    func print(_ view: GObject<WebKitWebView>) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("bridged-\(UUID().uuidString).pdf")
        defer { try? FileManager.default.removeItem(at: file) }
        let settings = gtk_print_settings_new()
        defer { g_object_unref(settings.map(UnsafeMutableRawPointer.init)) }
        gtk_print_settings_set(settings, "printer", "Print to File")
        gtk_print_settings_set(settings, "output-file-format", "pdf")
        gtk_print_settings_set(settings, "output-uri", file.absoluteString)
        guard let made = webkit_print_operation_new(view.pointer) else {
            throw RPCError(.internalError, "WebKit could not print.")
        }
        let operation = GObject(adopting: made)
        webkit_print_operation_set_print_settings(operation.pointer, settings)
        let watch = PrintWatch()
        prints.append(watch)
        defer { prints.removeAll { $0 === watch } }
        if let failure = await watch.print(operation) { throw RPCError(.internalError, failure) }
        guard let data = try? Data(contentsOf: file), !data.isEmpty else {
            throw RPCError(.internalError, "WebKit printed nothing: GTK's printer \"Print to File\" may be missing.")
        }
        return data.base64EncodedString()
    }

    /// Ends the print operations for which WebKit will not say that they have finished.
    func end(_ failure: String) {
        for watch in prints { watch.end(failure) }
    }
}

/// Waits for the end of one print operation.
@MainActor private final class PrintWatch {
    private var failure: String?
    private var finish: ((String?) -> Void)?

    /// - Returns: why it failed; nil if it did not.
    func print(_ operation: GObject<WebKitPrintOperation>) async -> String? {
        // The signals come while this function waits, so the watch is alive.
        let data = Unmanaged.passUnretained(self).toOpaque()
        bridged_connect_print_failed(
            operation.pointer, "failed",
            { _, error, data in
                guard let data, let error else { return }
                PrintWatch.of(data).failure = String(cString: error.pointee.message)
            }, data)
        bridged_connect_simple(
            operation.pointer, "finished", { _, data in if let data { PrintWatch.of(data).finished() } }, data)
        let failure = await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
            finish = { continuation.resume(returning: $0) }
            webkit_print_operation_print(operation.pointer)
        }
        withExtendedLifetime(self) { bridged_disconnect(operation.pointer, data) }
        return failure
    }

    private static func of(_ data: UnsafeMutableRawPointer) -> PrintWatch {
        Unmanaged<PrintWatch>.fromOpaque(data).takeUnretainedValue()
    }

    private func finished() { end(failure) }

    func end(_ failure: String?) {
        finish?(failure)
        finish = nil
    }
}
