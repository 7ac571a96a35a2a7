import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

extension HostedWebView {
    /// Changes the window's size, and whether GTK's theme is dark. The theme is that of all windows of this process.
    func emulate(_ emulation: PageEmulation) {
        if let size = emulation.size {
            gtk_window_resize(bridged_window(window), Int32(clamping: size.width), Int32(clamping: size.height))
        }
        if let colorScheme = emulation.colorScheme { bridged_prefer_dark(colorScheme == .dark ? 1 : 0) }
    }
}
