import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK
import Foundation

extension HostedWebView {
    func loadHTML(_ html: String, baseURL: String?) {
        expectLoad(of: baseURL ?? "about:blank")
        webkit_web_view_load_html(view.pointer, html, baseURL)
    }

    func stopLoading() { webkit_web_view_stop_loading(view.pointer) }

    func cookies() async -> [BrowserCookie] { await cookieJar.all() }

    func setCookie(_ cookie: BrowserCookie) async throws { try await cookieJar.set(cookie) }

    func deleteCookie(_ cookie: BrowserCookie) async throws { try await cookieJar.delete(cookie) }

    /// Clears the storage of all origins.
    func clearStorage(of origins: [String]) async throws -> [String] {
        await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
            webkit_website_data_manager_clear(
                webkit_web_context_get_website_data_manager(context.pointer), WEBKIT_WEBSITE_DATA_ALL, 0, nil,
                { manager, result, data in
                    let manager = UnsafeMutableRawPointer(manager)?.assumingMemoryBound(
                        to: WebKitWebsiteDataManager.self)
                    let isCleared = webkit_website_data_manager_clear_finish(manager, result, nil) != 0
                    Callback<Bool>.take(data)?.run(isCleared)
                }, Callback { continuation.resume(returning: $0 ? [] : origins) }.retained())
        }
    }

    func pdf() async throws -> String { try await printer.print(view) }

    private var cookieJar: CookieJar { CookieJar(webkit_web_context_get_cookie_manager(context.pointer)) }

    func snapshot(rect: [Double]?, width: Double?, scale: Double?) async throws -> String {
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
        let points = Double(gtk_widget_get_allocated_width(widget))
        return surface.png(widthInPoints: points, rect: rect, width: width, scale: scale).base64EncodedString()
    }
}

/// A picture of cairo.
@MainActor final class Surface {
    private let surface: OpaquePointer

    init(_ surface: OpaquePointer) { self.surface = surface }

    isolated deinit { cairo_surface_destroy(surface) }

    /// Writes the picture as PNG.
    /// - Parameters:
    ///   - widthInPoints: how many points the picture is wide.
    ///   - rect: the part to write in points: left, top, width, height; nil for everything.
    ///   - width: the width of the result in points; nil for that of the part.
    ///   - scale: the pixels a point of the result; nil for those of the picture.
    func png(widthInPoints: Double, rect: [Double]?, width: Double?, scale: Double?) -> Data {
        let ownWidth = Double(cairo_image_surface_get_width(surface))
        let ownScale = ownWidth / max(1, widthInPoints)
        let own = [0, 0, ownWidth, Double(cairo_image_surface_get_height(surface))]
        let part = rect?.map { $0 * ownScale } ?? own
        guard part[2] >= 1, part[3] >= 1, part[2] <= 20_000, part[3] <= 20_000 else { return Data() }
        let pixels = (width ?? part[2] / ownScale) * (scale ?? ownScale)
        let scale = min(max(pixels, 1), 20_000) / part[2]
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

/// The user's input, as events of GTK.
extension HostedWebView {
    func perform(_ input: PageInput) {
        switch input {
        case .tap(let place):
            let point = point(place)
            bridged_click(view.pointer, point.x, point.y)
        case .scroll(let place, let deltaX, let deltaY):
            let point = point(place)
            // What WebKit takes for a step depends on the height of the view.
            let step = max(1, pow(Double(gtk_widget_get_allocated_height(widget)), 2.0 / 3))
            bridged_scroll(view.pointer, point.x, point.y, deltaX / step, deltaY / step)
        case .text(let text):
            for scalar in text.unicodeScalars {
                let key = PageInput.Key(typing: Character(scalar))
                bridged_press(view.pointer, key?.keyval ?? gdk_unicode_to_keyval(scalar.value))
            }
        case .key(let key): bridged_press(view.pointer, key.keyval)
        case .steps(let steps):
            var state = InputState()
            for step in InputStep.withKeys(steps) { perform(step, &state) }
        }
    }

    /// Pauses are left out: WebKit handles events in their order.
    private func perform(_ step: InputStep, _ state: inout InputState) {
        let held = state.gdkMask
        state.note(step)
        switch step {
        case .move(let x, let y): bridged_move_with(view.pointer, x, y, held)
        case .press(let button, let clicks):
            bridged_mouse(view.pointer, state.x, state.y, UInt32(button.number + 1), UInt32(clicks), 1, held)
        case .release(let button, let clicks):
            bridged_mouse(view.pointer, state.x, state.y, UInt32(button.number + 1), UInt32(clicks), 0, held)
        case .keyDown(let key): bridged_key(view.pointer, key.keyval, 1, held)
        case .keyUp(let key): bridged_key(view.pointer, key.keyval, 0, held)
        case .text, .pause: break
        }
    }

    func perform(_ motion: PointerMotion) {
        switch motion {
        case .tap(let point): bridged_click(view.pointer, point.x, point.y)
        case .hover(let point): bridged_move(view.pointer, point.x, point.y, 0)
        case .drag(let start, let end):
            bridged_move(view.pointer, start.x, start.y, 0)
            bridged_button(view.pointer, start.x, start.y, 1)
            for point in PointerMotion.steps(from: (start.x, start.y), to: (end.x, end.y)) {
                bridged_move(view.pointer, point.x, point.y, 1)
            }
            bridged_button(view.pointer, end.x, end.y, 0)
        }
    }

    private func point(_ place: PageInput.Place) -> (x: Double, y: Double) {
        place.point(
            inWidth: Double(gtk_widget_get_allocated_width(widget)),
            height: Double(gtk_widget_get_allocated_height(widget)))
    }
}

extension PageInput.Key {
    /// The key's symbol in GDK.
    fileprivate var keyval: UInt32 {
        switch self {
        case .backspace: 0xff08
        case .tab: 0xff09
        case .enter: 0xff0d
        case .escape: 0xff1b
        case .home: 0xff50
        case .arrowLeft: 0xff51
        case .arrowUp: 0xff52
        case .arrowRight: 0xff53
        case .arrowDown: 0xff54
        case .pageUp: 0xff55
        case .pageDown: 0xff56
        case .end: 0xff57
        case .delete: 0xffff
        case .insert: 0xff63
        case .shift: 0xffe1
        case .control: 0xffe3
        case .alt: 0xffe9
        case .meta: 0xffeb
        case .f1, .f2, .f3, .f4, .f5, .f6, .f7, .f8, .f9, .f10, .f11, .f12:
            0xffbd + (UInt32(rawValue.dropFirst()) ?? 1)
        }
    }
}

extension ElementAction.PressedKey {
    fileprivate var keyval: UInt32 {
        switch self {
        case .named(let key): key.keyval
        case .character(let character): gdk_unicode_to_keyval(character.unicodeScalars.first?.value ?? 0)
        }
    }
}

extension InputState {
    /// What is held down, as GDK's events say it.
    fileprivate var gdkMask: UInt32 {
        let keys: [PageInput.Key: GdkModifierType] = [
            .shift: GDK_SHIFT_MASK, .control: GDK_CONTROL_MASK, .alt: GDK_MOD1_MASK, .meta: GDK_META_MASK,
        ]
        let buttons: [InputStep.Button: GdkModifierType] = [
            .left: GDK_BUTTON1_MASK, .middle: GDK_BUTTON2_MASK, .right: GDK_BUTTON3_MASK,
        ]
        let masks = modifiers.compactMap { keys[$0] } + [button.flatMap { buttons[$0] }].compactMap(\.self)
        return masks.reduce(0) { $0 | $1.rawValue }
    }
}

extension HostedWebView {
    /// Changes the size of all windows, and whether GTK's theme, which is that of all windows, is dark.
    func emulate(_ emulation: PageEmulation) {
        if let size = emulation.size { context.resize(to: size) }
        if let colorScheme = emulation.colorScheme { bridged_prefer_dark(colorScheme == .dark ? 1 : 0) }
    }

    func resize(to screen: WindowOptions) {
        gtk_window_resize(bridged_window(window), Int32(clamping: screen.width), Int32(clamping: screen.height))
    }
}

extension HostedWebView {
    /// Runs a script in the document that is shown, as WebKit does for native code.
    func evaluate(_ script: PageScript, completion: @escaping @MainActor (EvaluationResult) -> Void) {
        if let world = script.world { keep(world) }
        let data = Unmanaged.passRetained(Completion(completion)).toOpaque()
        switch script.program {
        case .script(let source, let url):
            withBytes(of: source) { text, count in
                webkit_web_view_evaluate_javascript(
                    view.pointer, text, count, script.world, url, nil,
                    { view, result, data in
                        Completion.finish(data, view, hasPosition: true) { view, error in
                            webkit_web_view_evaluate_javascript_finish(view, result, error)
                        }
                    }, data)
            }
        case .asyncFunction(let body, let arguments):
            let call = FunctionCall(body: body, arguments: arguments)
            withBytes(of: call.body) { text, count in
                webkit_web_view_call_async_javascript_function(
                    view.pointer, text, count, call.makeArguments(), script.world, nil, nil,
                    { view, result, data in
                        Completion.finish(data, view, hasPosition: false) { view, error in
                            webkit_web_view_call_async_javascript_function_finish(view, result, error)
                        }
                    }, data)
            }
        }
    }

    private func withBytes(of text: String, _ body: (UnsafePointer<CChar>?, Int) -> Void) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress, $0.count) }
        }
    }
}

/// What to do when WebKit has run a script.
@MainActor private final class Completion {
    private let run: @MainActor (EvaluationResult) -> Void

    init(_ run: @escaping @MainActor (EvaluationResult) -> Void) { self.run = run }

    /// - Parameters:
    ///   - data: a retained completion.
    ///   - view: the view, as an object of GObject.
    ///   - take: takes the result, or sets an error.
    static func finish(
        _ data: UnsafeMutableRawPointer?, _ view: UnsafeMutablePointer<_GObject>?, hasPosition: Bool,
        take: (UnsafeMutablePointer<WebKitWebView>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) ->
            UnsafeMutablePointer<JSCValue>?
    ) {
        guard let data else { return }
        let completion = Unmanaged<Completion>.fromOpaque(data).takeRetainedValue()
        var error: UnsafeMutablePointer<GError>?
        let value = take(UnsafeMutableRawPointer(view)?.assumingMemoryBound(to: WebKitWebView.self), &error)
        completion.run(result(value, error, hasPosition: hasPosition))
        if let error { g_error_free(error) }
    }

    private static func result(
        _ value: UnsafeMutablePointer<JSCValue>?, _ error: UnsafeMutablePointer<GError>?, hasPosition: Bool
    ) -> EvaluationResult {
        if let error { return .failure(ScriptFailure.error(error, hasPosition: hasPosition)) }
        guard let value = value.map(GObject.init(adopting:)) else { return .failure(.resultTypeUnsupported("")) }
        do {
            return .success(.members(try ScriptValueCodec.of(value).value(value)))
        } catch {
            return .failure(.resultTypeUnsupported(error.reason))
        }
    }
}
