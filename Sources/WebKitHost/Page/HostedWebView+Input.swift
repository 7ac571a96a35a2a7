import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK
import Foundation

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
        }
    }

    func tap(_ point: TapPoint) { bridged_click(view.pointer, point.x, point.y) }

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
        }
    }
}
