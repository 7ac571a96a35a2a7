public import BridgeProtocol
public import Foundation
import PathConfiguration

/// The result of a navigation step: the new state and the effects.
public struct NavigationOutcome: Sendable, Equatable {
    public let state: NavigationState
    public let effects: [NavigationEffect]

    public init(_ state: NavigationState, _ effects: [NavigationEffect]) {
        self.state = state
        self.effects = effects
    }

    public var visits: [VisitOrder] { effects.compactMap { if case .visit(let order) = $0 { order } else { nil } } }

    /// The native screens from the bottom of main to the top of the modal.
    public var nativeScreens: [NativeScreen] {
        NavigationStack.allCases.flatMap { stack in
            state[stack].enumerated().filter { !$0.element.isWeb }.map { index, screen in
                NativeScreen(stack: stack, index: index, url: screen.url)
            }
        }
    }
}

extension Screen {
    /// The URL of a web screen; `native:` and the class name of a native one.
    public var name: String {
        switch kind {
        case .web: url.absoluteString
        case .native(let name): "native:\(name)"
        }
    }
}

extension ModalStyle {
    /// UIKit's name for the modal presentation style. Sheets of both heights are `automatic`.
    var presentationStyle: String {
        switch self {
        case .medium, .large: "automatic"
        case .full: "fullScreen"
        case .pageSheet: "pageSheet"
        case .formSheet: "formSheet"
        }
    }
}

/// A native screen's position in the stacks, and the URL that its name does not show.
public struct NativeScreen: Sendable, Equatable, JSONObject {
    public let stack: NavigationStack
    /// The position in the stack, counted from 0 at the bottom.
    public let index: Int
    public let url: URL

    public var members: JSONMembers { ["stack": stack.rawValue, "index": index, "url": url.absoluteString] }
}
