import SwiftSyntax

/// What a function returns instead of a value that it cannot get.
enum EmptyValue {
    private static let known = [
        "Void": "()", "Bool": "false", "String": "\"\"", "Substring": "\"\"", "Character": "\" \"", "Any": "()",
        "NSString": "\"\"", "CGRect": ".zero", "CGSize": ".zero", "CGPoint": ".zero", "UIEdgeInsets": ".zero",
        "Data": "Data()", "Date": "Date()", "UUID": "UUID()", "UIView": "UIView()", "UILabel": "UILabel()",
        "UIButton": "UIButton()", "UIViewController": "UIViewController()", "UIImage": "UIImage()",
        "UIImageView": "UIImageView()", "UINavigationController": "UINavigationController()",
        "UITableViewCell": "UITableViewCell()", "UIBarButtonItem": "UIBarButtonItem()", "NSObject": "NSObject()",
        "WKWebViewConfiguration": "WKWebViewConfiguration()", "WKUserContentController": "WKUserContentController()",
        "WKPreferences": "WKPreferences()", "URLComponents": "URLComponents()",
    ]

    private static let numbers: Set = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
        "CGFloat", "TimeInterval",
    ]

    private static let collections: Set = ["Array", "Set", "ArraySlice", "ContiguousArray"]

    /// An expression for a type as it is written; nil if there is none that is sure to compile and to be harmless.
    static func of(_ type: TypeSyntax?) -> String? {
        guard let type else { return "()" }
        if type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return "nil" }
        if type.is(ArrayTypeSyntax.self) { return "[]" }
        if type.is(DictionaryTypeSyntax.self) { return "[:]" }
        if let attributed = type.as(AttributedTypeSyntax.self) { return of(attributed.baseType) }
        if let tuple = type.as(TupleTypeSyntax.self) {
            let values = tuple.elements.map { of($0.type) }
            guard !values.contains(nil) else { return nil }
            return values.count == 1 ? values[0] : "(\(values.compactMap(\.self).joined(separator: ", ")))"
        }
        if let function = type.as(FunctionTypeSyntax.self) {
            guard let value = of(function.returnClause.type) else { return nil }
            let parameters = function.parameters.map { _ in "_" }.joined(separator: ", ")
            return parameters.isEmpty ? "{ \(value) }" : "{ \(parameters) in \(value) }"
        }
        guard let name = type.as(IdentifierTypeSyntax.self) else { return nil }
        if numbers.contains(name.name.text) { return "0" }
        if collections.contains(name.name.text) { return "[]" }
        return ["Optional": "nil", "Dictionary": "[:]"][name.name.text] ?? known[name.name.text]
    }
}

/// The function, accessor or closure that a statement is part of.
enum Surroundings {
    case closure(result: TypeSyntax?, isTyped: Bool)
    case initializer(isFailable: Bool)
    /// A function or a getter; nil for one that returns nothing.
    case function(result: TypeSyntax?)

    init?(_ node: some SyntaxProtocol) {
        var child = Syntax(node)
        while let parent = child.parent {
            if let closure = parent.as(ClosureExprSyntax.self) {
                let clause = closure.signature?.returnClause
                self = .closure(result: clause?.type, isTyped: clause != nil)
                return
            }
            if let function = parent.as(FunctionDeclSyntax.self) {
                self = .function(result: function.signature.returnClause?.type)
                return
            }
            if let initializer = parent.as(InitializerDeclSyntax.self) {
                self = .initializer(isFailable: initializer.optionalMark != nil)
                return
            }
            if parent.is(DeinitializerDeclSyntax.self) {
                self = .function(result: nil)
                return
            }
            if let accessor = parent.as(AccessorDeclSyntax.self) {
                let isGetter = accessor.accessorSpecifier.text == "get"
                self = .function(result: isGetter ? Surroundings.type(of: accessor) : nil)
                return
            }
            if let block = parent.as(AccessorBlockSyntax.self), case .getter = block.accessors {
                self = .function(result: Surroundings.type(of: block))
                return
            }
            child = parent
        }
        return nil
    }

    /// The type of the property or subscript that an accessor belongs to.
    private static func type(of accessor: some SyntaxProtocol) -> TypeSyntax? {
        if let subscripting = accessor.ancestor(SubscriptDeclSyntax.self) { return subscripting.returnClause.type }
        return accessor.ancestor(PatternBindingSyntax.self)?.typeAnnotation?.type
    }

    /// Whether the nearest function that is no closure makes a view of SwiftUI.
    static func isView(_ node: some SyntaxProtocol) -> Bool {
        var child = Syntax(node)
        while let surroundings = Surroundings(child) {
            if case .closure = surroundings, let closure = child.ancestor(ClosureExprSyntax.self) {
                child = Syntax(closure)
                continue
            }
            guard case .function(let result) = surroundings else { return false }
            return ["some View", "some SwiftUI.View", "some HeadlessSwiftUI.View"].contains(result?.trimmedDescription)
        }
        return false
    }

    /// The statement that ends the function without a value that it cannot get; nil if there is none.
    var ending: String? {
        switch self {
        case .closure(let result, let isTyped):
            return isTyped ? EmptyValue.of(result).map { $0 == "()" ? "return" : "return \($0)" } : nil
        case .initializer(let isFailable): return isFailable ? "return nil" : nil
        case .function(let result): return EmptyValue.of(result).map { $0 == "()" ? "return" : "return \($0)" }
        }
    }

    var returnsNothing: Bool {
        switch self {
        case .closure(let result, _): result == nil || EmptyValue.of(result) == "()"
        case .initializer: true
        case .function(let result): EmptyValue.of(result) == "()"
        }
    }
}
