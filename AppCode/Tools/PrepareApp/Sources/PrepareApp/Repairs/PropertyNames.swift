import SwiftSyntax

/// The names of properties and global variables. If a local one of the same name is cut, its uses would mean these.
final class PropertyNames: SyntaxVisitor {
    /// Those that many classes of UIKit have, and closures of views capture.
    private(set) var all: Set<String> = [
        "title", "view", "navigationItem", "navigationController", "tabBarController", "tabBarItem", "parent",
        "children",
        "delegate", "window", "isEditing", "description", "hash", "tag", "frame", "bounds", "superview", "subviews",
    ]

    init(_ files: [RepairedFile]) {
        super.init(viewMode: .sourceAccurate)
        for file in files { walk(file.tree) }
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        if Surroundings(node) == nil, let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
            all.insert(name)
        }
        return .visitChildren
    }
}
