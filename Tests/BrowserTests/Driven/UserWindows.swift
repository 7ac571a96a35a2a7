import Foundation
import TestSupport

/// Windows on a virtual screen, as their user treats them.
enum UserWindows {
    /// Asks the window whose title begins with a text to close, as a window manager does (ICCCM 4.2.8.1).
    static func close(_ title: String, on screen: String) async throws -> Executable.Outcome {
        let run = "exec python3 -c \"$BRIDGED_CLOSE\" '\(title)'"
        return try await Executable.run([], environment: ["DISPLAY": screen, "BRIDGED_CLOSE": program], by: run)
    }

    private static let program = """
        import ctypes, sys, time
        x = ctypes.CDLL("libX11.so.6")
        Window = ctypes.c_ulong
        class Message(ctypes.Structure):
            _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("sent", ctypes.c_int),
                        ("display", ctypes.c_void_p), ("window", Window), ("kind", ctypes.c_ulong),
                        ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("rest", ctypes.c_long * 24)]
        x.XOpenDisplay.restype = ctypes.c_void_p
        x.XDefaultRootWindow.restype, x.XDefaultRootWindow.argtypes = Window, [ctypes.c_void_p]
        x.XInternAtom.restype, x.XInternAtom.argtypes = ctypes.c_ulong, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
        x.XGetWindowProperty.argtypes = [ctypes.c_void_p, Window, ctypes.c_ulong] + [ctypes.c_long] * 2 + [
            ctypes.c_int, ctypes.c_ulong] + [ctypes.c_void_p] * 5
        x.XQueryTree.argtypes = [ctypes.c_void_p, Window] + [ctypes.c_void_p] * 4
        x.XSendEvent.argtypes = [ctypes.c_void_p, Window, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
        x.XCloseDisplay.argtypes = [ctypes.c_void_p]
        display = x.XOpenDisplay(None)
        atom = lambda name: x.XInternAtom(display, name, 0)
        def windows(root):
            yield root
            skipped, children, count = Window(), ctypes.POINTER(Window)(), ctypes.c_uint()
            by = ctypes.byref
            if x.XQueryTree(display, root, by(skipped), by(skipped), by(children), by(count)):
                for index in range(count.value):
                    yield from windows(children[index])
        def title(window):
            name, number, count = ctypes.c_char_p(), ctypes.c_ulong(), ctypes.c_int()
            by = ctypes.byref
            x.XGetWindowProperty(display, window, atom(b"_NET_WM_NAME"), 0, 256, 0, 0, by(number), by(count),
                                 by(number), by(number), by(name))
            return (name.value or b"").decode(errors="replace")
        # The title reaches the screen some moments after the page has it.
        end, found = time.monotonic() + 20, []
        while not found:
            titles = {window: title(window) for window in windows(x.XDefaultRootWindow(display))}
            found = [window for window, text in titles.items() if text.startswith(sys.argv[1])]
            if not found and time.monotonic() > end:
                sys.exit(f"There is no window {sys.argv[1]}: {sorted(filter(None, titles.values()))}")
            time.sleep(0.05)
        for window in found:
            event = Message(type=33, window=window, kind=atom(b"WM_PROTOCOLS"), format=32)
            event.data[0] = atom(b"WM_DELETE_WINDOW")
            x.XSendEvent(display, window, 0, 0, ctypes.byref(event))
        x.XCloseDisplay(display)
        """
}
