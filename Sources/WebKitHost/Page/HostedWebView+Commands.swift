import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK
import Foundation

extension HostedWebView: PageCommands {
    func loadHTML(_ html: String, baseURL: String?) {
        expectLoad(of: baseURL ?? "about:blank")
        webkit_web_view_load_html(view.pointer, html, baseURL)
    }

    func stopLoading() { webkit_web_view_stop_loading(view.pointer) }

    func cookies() async -> [JSONValue] { await cookieJar.all() }

    func setCookie(_ cookie: JSON) async throws { try await cookieJar.set(cookie) }

    func deleteCookie(_ cookie: JSON) async throws { try await cookieJar.delete(cookie) }

    private var cookieJar: CookieJar { CookieJar(webkit_web_context_get_cookie_manager(context.pointer)) }

    func snapshot(rect: [Double]?, width: Double?) async throws -> String {
        let surface = await withCheckedContinuation { (continuation: CheckedContinuation<Surface?, Never>) in
            webkit_web_view_get_snapshot(
                view.pointer, WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, nil,
                { view, result, data in
                    let view = UnsafeMutableRawPointer(view)?.assumingMemoryBound(to: WebKitWebView.self)
                    let surface = webkit_web_view_get_snapshot_finish(view, result, nil)
                    Callback<Surface?>.take(data)?.run(surface.map(Surface.init))
                }, Callback { continuation.resume(returning: $0) }.retained())
        }
        guard let surface else { throw RPCError(.internalError, "WebKit could not take a picture.") }
        return surface.png(rect: rect, width: width).base64EncodedString()
    }
}

/// A picture of cairo.
@MainActor final class Surface {
    private let surface: OpaquePointer

    init(_ surface: OpaquePointer) { self.surface = surface }

    isolated deinit { cairo_surface_destroy(surface) }

    /// Writes the picture as PNG.
    /// - Parameters:
    ///   - rect: the part to write: left, top, width, height; nil for everything.
    ///   - width: the width of the result in pixels; nil for that of the part.
    func png(rect: [Double]?, width: Double?) -> Data {
        let own = [
            0, 0, Double(cairo_image_surface_get_width(surface)), Double(cairo_image_surface_get_height(surface)),
        ]
        let part = rect ?? own
        guard part[2] >= 1, part[3] >= 1, part[2] <= 20_000, part[3] <= 20_000 else { return Data() }
        let scale = width.map { min(max($0, 1), 20_000) / part[2] } ?? 1
        let target = cairo_image_surface_create(
            CAIRO_FORMAT_ARGB32, Int32(clamping: Int((part[2] * scale).rounded())),
            Int32(clamping: Int((part[3] * scale).rounded())))
        defer { cairo_surface_destroy(target) }
        let context = cairo_create(target)
        cairo_scale(context, scale, scale)
        cairo_set_source_surface(context, surface, -part[0], -part[1])
        cairo_paint(context)
        cairo_destroy(context)
        var data = Data()
        withUnsafeMutablePointer(to: &data) { data in
            _ = cairo_surface_write_to_png_stream(
                target,
                { data, bytes, count in
                    guard let bytes else { return CAIRO_STATUS_WRITE_ERROR }
                    data?.assumingMemoryBound(to: Data.self).pointee.append(bytes, count: Int(count))
                    return CAIRO_STATUS_SUCCESS
                }, data)
        }
        return data
    }
}
