import SwiftSyntax

/// Finds the smallest part of a file that can be cut so that an error disappears.
struct CutFinder {
    let file: RepairedFile
    /// What was cut in the module before, by the names that it declared.
    let origins: [String: String]
    /// What must stay, whatever the compiler says.
    let protected: ProtectedCode
    /// The names of the module's properties.
    let properties: Set<String>

    enum Answer {
        case cut(Cut)
        /// The reason why nothing can be cut.
        case refused(String)
    }

    /// - Parameter offset: the place of the error in the file's text.
    /// - Parameter earlier: the cut that has not helped.
    func find(_ error: CompilerError, at offset: Int, beyond earlier: Cut?) -> Answer {
        guard let token = file.tree.token(at: AbsolutePosition(utf8Offset: offset)) else {
            return .refused("the file has no such place")
        }
        let builder = CutBuilder(
            file: file, error: error, what: what(error, token), line: file.line(of: offset), place: offset,
            properties: properties)
        var node = Syntax(token)
        while true {
            for cut in builder.cuts(of: node) {
                if let earlier, !cut.isMore(than: earlier) { continue }
                if file.cuts.contains(cut) { continue }
                if let reason = protected.reason(against: cut, at: node) { return .refused(reason) }
                return .cut(cut)
            }
            guard let parent = node.parent else { break }
            node = parent
        }
        return .refused("nothing that surrounds it can be cut")
    }

    /// What an error is about: a name that is missing, or else what the compiler said.
    /// - Parameter token: what stands at its place.
    private func what(_ error: CompilerError, _ token: TokenSyntax) -> String {
        // A declaration was cut, and a type without values left so that nothing else is meant.
        if error.text.contains("before being initialized") || error.text.contains("'Never'") {
            let statement = Syntax(token).ancestor(CodeBlockItemSyntax.self).map { Syntax($0) } ?? Syntax(token)
            if let origin = statement.tokens(viewMode: .sourceAccurate).lazy.compactMap({ origins[$0.text] }).first {
                return origin
            }
        }
        // A modifier that was cut is missing only because its view is.
        guard let name = error.missingName?.replacing(".bridgedCut", with: "") else { return error.text }
        // A name that is missing because its declaration was cut is missing for the same reason, if that is a name.
        let origin = origins[name.split(separator: ".").last.map(String.init) ?? name]
        return origin.flatMap { $0.hasPrefix("`") ? $0 : nil } ?? "`\(name)`"
    }
}

/// Makes the cuts that a node allows for one error, the smallest first.
struct CutBuilder {
    let file: RepairedFile
    let error: CompilerError
    let what: String
    let line: Int
    /// The place of the error in the text of the file.
    let place: Int
    let properties: Set<String>

    func cuts(of node: Syntax) -> [Cut] {
        var cuts: [Cut?] = adaptations(of: node)
        if let declaration = node.as(ImportDeclSyntax.self) { cuts.append(cut(declaration, "", .module)) }
        if let call = node.as(FunctionCallExprSyntax.self) { cuts.append(modifier(call)) }
        if let element = node.as(ArrayElementSyntax.self) { cuts.append(arrayElement(element)) }
        if let label = node.as(SwitchCaseSyntax.self) { cuts.append(switchCase(label)) }
        if let binding = node.as(PatternBindingSyntax.self) { cuts.append(initialValue(binding)) }
        if let item = node.as(CodeBlockItemSyntax.self) {
            cuts += Surroundings(item) == nil ? [declaration(item)] : statement(item)
        }
        cuts.append(body(node))
        if let member = node.as(MemberBlockItemSyntax.self) { cuts.append(declaration(member)) }
        return cuts.compactMap(\.self)
    }

    // MARK: Without a loss

    /// What differs on Linux and can be written otherwise, with the same effect.
    private func adaptations(of node: Syntax) -> [Cut?] {
        if error.text.contains("does not override any") {
            let modifiers = node.asProtocol((any WithModifiersSyntax).self)?.modifiers
            return [modifiers?.first { $0.name.text == "override" }.flatMap { cut($0, "", .adapted) }]
        }
        if error.text.hasPrefix("initializer for conditional binding must have Optional type") {
            guard let value = node.as(OptionalBindingConditionSyntax.self)?.initializer?.value else { return [] }
            return [cut(value, "Optional(\(value.trimmedDescription))", .adapted)]
        }
        if error.text.hasPrefix("cannot use optional chaining on non-optional value") {
            return [node.as(OptionalChainingExprSyntax.self).flatMap { cut($0.questionMark, "", .adapted) }]
        }
        if error.text.hasPrefix("cannot force unwrap value of non-optional type") {
            return [node.as(ForceUnwrapExprSyntax.self).flatMap { cut($0.exclamationMark, "", .adapted) }]
        }
        if error.text.hasPrefix("unknown attribute"), let attribute = node.as(AttributeSyntax.self) {
            return [cut(attribute, "", .attribute)]
        }
        if error.text.contains("does not conform to protocol") { return conformances(of: node) }
        return []
    }

    /// Removes the protocol that an error names from the list of a type.
    private func conformances(of node: Syntax) -> [Cut?] {
        guard let name = error.text.firstMatch(of: /does not conform to protocol '([^']+)'/)?.1,
            let clause = node.asProtocol((any DeclGroupSyntax).self)?.inheritanceClause
        else { return [] }
        let types = Array(clause.inheritedTypes)
        guard let index = types.firstIndex(where: { $0.type.trimmedDescription == name }) else { return [] }
        if types.count == 1 { return [cut(clause, "", .conformance)] }
        let isLast = index == types.count - 1
        let first = isLast ? end(of: types[index - 1].type) : start(of: types[index]).utf8Offset
        let last = isLast ? end(of: types[index].type) : start(of: types[index + 1]).utf8Offset
        return [cut(first..<last, "", .conformance, at: node)]
    }

    // MARK: Parts of statements

    /// A modifier of SwiftUI, such as `.ignoresSafeArea()`: the view stays without it.
    private func modifier(_ call: FunctionCallExprSyntax) -> Cut? {
        guard error.text.contains("has no member"), Surroundings.isView(call),
            let access = call.calledExpression.as(MemberAccessExprSyntax.self), let base = access.base,
            start(of: access.declName).utf8Offset <= place, place <= end(of: access.declName)
        else { return nil }
        let range = base.endPositionBeforeTrailingTrivia.utf8Offset..<call.endPositionBeforeTrailingTrivia.utf8Offset
        return cut(range, ".bridgedCut(\(arguments))", .modifier, at: Syntax(call))
    }

    private func arrayElement(_ element: ArrayElementSyntax) -> Cut? {
        guard error.text.contains("has no member"), element.expression.is(MemberAccessExprSyntax.self),
            let list = element.parent?.as(ArrayElementListSyntax.self), list.count > 1
        else { return nil }
        let end = (element.trailingComma ?? element.expression.lastToken(viewMode: .sourceAccurate))?
            .endPositionBeforeTrailingTrivia.utf8Offset
        return end.flatMap {
            cut(element.positionAfterSkippingLeadingTrivia.utf8Offset..<$0, "", .element, at: Syntax(element))
        }
    }

    /// A case that cannot occur, because its value does not exist.
    private func switchCase(_ node: SwitchCaseSyntax) -> Cut? {
        guard case .case(let label) = node.label, let list = node.parent?.as(SwitchCaseListSyntax.self), list.count > 1,
            label.caseItems.contains(where: { item in
                start(of: item.pattern).utf8Offset <= place && place <= end(of: item.pattern)
            })
        else { return nil }
        guard label.caseItems.count > 1 else { return cut(node, "", .element) }
        let items = Array(label.caseItems)
        guard
            let index = items.firstIndex(where: { $0.position.utf8Offset <= place && place < $0.endPosition.utf8Offset }
            )
        else { return nil }
        let isLast = index == items.count - 1
        let first = isLast ? end(of: items[index - 1].pattern) : start(of: items[index]).utf8Offset
        let last = isLast ? end(of: items[index]) : start(of: items[index + 1]).utf8Offset
        return cut(first..<last, "", .element, at: Syntax(node))
    }

    /// The initial value of a property whose type has an empty value.
    private func initialValue(_ binding: PatternBindingSyntax) -> Cut? {
        guard Surroundings(binding) == nil, let initializer = binding.initializer,
            let annotation = binding.typeAnnotation?.type, let value = EmptyValue.of(annotation)
        else { return nil }
        let type = annotation.trimmedDescription
        let closure =
            annotation.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) || type.contains("some ")
            ? value : "{ () -> \(type) in \(record); return \(value) }()"
        return cut(initializer.value, closure, .value)
    }

    // MARK: Statements

    private func statement(_ item: CodeBlockItemSyntax) -> [Cut?] {
        guard let surroundings = Surroundings(item) else { return [] }
        let isView = Surroundings.isView(item)
        let record = isView ? viewRecord : record
        if let node = item.item.as(GuardStmtSyntax.self) { return [guardStatement(node, item)] }
        if let node = item.item.as(ExpressionStmtSyntax.self)?.expression.as(IfExprSyntax.self) {
            guard let other = node.elseBody else { return [cut(item, record, .statement)] }
            guard let block = other.as(CodeBlockSyntax.self) else {
                return [cut(item, "\(record); \(other.trimmedDescription)", .statement)]
            }
            let rest = isView ? text(of: block.statements) : "do \(block.trimmedDescription)"
            return [cut(item, "\(record); \(rest)", .statement)]
        }
        if isView, case .closure = surroundings { return [cut(item, viewRecord, .statement)] }
        if item.item.is(ReturnStmtSyntax.self) || item.item.is(ThrowStmtSyntax.self) || isResult(item, surroundings) {
            if isView { return [cut(item, "return \(viewRecord)", .statement)] }
            return [surroundings.ending.flatMap { cut(item, "\(self.record); \($0)", .statement) }]
        }
        let declared = CutBuilder.declared(by: Syntax(item.item))
        // Without them, later uses would mean properties of the same names.
        let hiding = item.item.is(VariableDeclSyntax.self) ? declared.filter(properties.contains) : []
        let declarations = hiding.map { "; let \($0): Never" }.joined()
        return [cut(item, record + declarations, .statement, declared: declared)]
    }

    /// Whether a statement is an expression whose value a function returns without `return`.
    private func isResult(_ item: CodeBlockItemSyntax, _ surroundings: Surroundings) -> Bool {
        guard !surroundings.returnsNothing, let list = item.parent?.as(CodeBlockItemListSyntax.self) else {
            return false
        }
        let isBody =
            list.parent?.is(CodeBlockSyntax.self) == true && list.parent?.parent?.is(FunctionDeclSyntax.self) == true
        let isAccessor =
            list.parent?.is(AccessorBlockSyntax.self) == true
            || list.parent?.parent?.is(AccessorDeclSyntax.self) == true
        let isClosure = list.parent?.is(ClosureExprSyntax.self) == true
        return list.count == 1 && (isBody || isAccessor || isClosure)
    }

    /// What a `guard` cannot find out has failed: its `else` comes, and the rest of the block is left out.
    private func guardStatement(_ node: GuardStmtSyntax, _ item: CodeBlockItemSyntax) -> Cut? {
        guard let list = item.parent?.as(CodeBlockItemListSyntax.self), let last = list.last else { return nil }
        let start = item.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = last.endPositionBeforeTrailingTrivia.utf8Offset
        return cut(start..<end, "\(record); \(text(of: node.body.statements))", .statement, at: Syntax(item))
    }

    private func text(of list: CodeBlockItemListSyntax) -> String {
        list.map(\.trimmedDescription).joined(separator: "\n")
    }

    /// The names that a statement or member declares.
    private static func declared(by node: Syntax) -> [String] {
        if let variable = node.as(VariableDeclSyntax.self) {
            return variable.bindings.flatMap { binding -> [String] in
                if let name = binding.pattern.as(IdentifierPatternSyntax.self) { return [name.identifier.text] }
                let tuple = binding.pattern.as(TuplePatternSyntax.self)
                return tuple?.elements.compactMap {
                    $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
                } ?? []
            }
        }
        return node.asProtocol((any NamedDeclSyntax).self).map { [$0.name.text] } ?? []
    }

    // MARK: Functions and declarations

    private func body(_ node: Syntax) -> Cut? {
        let statements: CodeBlockItemListSyntax
        if let block = node.as(CodeBlockSyntax.self), let owner = block.parent,
            owner.is(FunctionDeclSyntax.self) || owner.is(InitializerDeclSyntax.self)
                || owner.is(DeinitializerDeclSyntax.self) || owner.is(AccessorDeclSyntax.self)
        {
            statements = block.statements
        } else if let block = node.as(AccessorBlockSyntax.self), case .getter(let list) = block.accessors {
            statements = list
        } else {
            return nil
        }
        guard let first = statements.first, let last = statements.last, let surroundings = Surroundings(first) else {
            return nil
        }
        let range =
            first.positionAfterSkippingLeadingTrivia.utf8Offset..<last.endPositionBeforeTrailingTrivia.utf8Offset
        if Surroundings.isView(first) { return cut(range, "return \(viewRecord)", .body, at: node) }
        return surroundings.ending.flatMap { cut(range, "\(record); \($0)", .body, at: node) }
    }

    private func declaration(_ node: some SyntaxProtocol) -> Cut? {
        let content =
            node.as(MemberBlockItemSyntax.self).map { Syntax($0.decl) }
            ?? node.as(CodeBlockItemSyntax.self).map { Syntax($0.item) } ?? Syntax(node)
        let range = start(of: node).utf8Offset..<end(of: node)
        return cut(range, "", .declaration, at: content, declared: CutBuilder.declared(by: content))
    }

    // MARK: Texts

    private var arguments: String { "\(CutBuilder.quoted(what)), \(CutBuilder.quoted(file.path)), \(line)" }
    private var record: String { "bridgedCut(\(arguments))" }
    private var viewRecord: String { "bridgedCutView(\(arguments))" }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: " ") + "\""
    }

    private func start(of node: some SyntaxProtocol) -> AbsolutePosition { node.positionAfterSkippingLeadingTrivia }
    private func end(of node: some SyntaxProtocol) -> Int { node.endPositionBeforeTrailingTrivia.utf8Offset }

    private func cut(
        _ node: some SyntaxProtocol, _ replacement: String, _ kind: Cut.Kind, declared: [String] = []
    ) -> Cut? {
        // A semicolon still separates what follows.
        let content = node.as(CodeBlockItemSyntax.self).map { Syntax($0.item) } ?? Syntax(node)
        return cut(
            start(of: content).utf8Offset..<end(of: content), replacement, kind, at: Syntax(node), declared: declared)
    }

    private func cut(
        _ range: Range<Int>, _ replacement: String, _ kind: Cut.Kind, at node: Syntax, declared: [String] = []
    ) -> Cut? {
        guard !range.isEmpty else { return nil }
        let lineBreak = UInt8(ascii: "\n")
        let breaks =
            file.bytes[range].count { $0 == lineBreak } - replacement.utf8.count { $0 == lineBreak }
        return Cut(
            start: range.lowerBound, end: range.upperBound,
            replacement: replacement + String(repeating: "\n", count: max(0, breaks)), kind: kind, line: line,
            what: what, owner: CutBuilder.owner(of: node), declared: declared)
    }

    /// The function, property or type that a node is or is part of, as in `Screen.viewDidLoad()`.
    static func owner(of node: Syntax) -> String {
        var names: [String] = []
        var node: Syntax? = node
        while let current = node {
            if let name = name(of: current) { names.insert(name, at: 0) }
            node = current.parent
        }
        return names.joined(separator: ".")
    }

    private static func name(of node: Syntax) -> String? {
        if let function = node.as(FunctionDeclSyntax.self) {
            let labels = function.signature.parameterClause.parameters.map { "\($0.firstName.text):" }
            return "\(function.name.text)(\(labels.joined()))"
        }
        if let initializer = node.as(InitializerDeclSyntax.self) {
            return "init(\(initializer.signature.parameterClause.parameters.map { "\($0.firstName.text):" }.joined()))"
        }
        if let variable = node.as(VariableDeclSyntax.self), Surroundings(variable) == nil {
            return variable.bindings.first?.pattern.trimmedDescription
        }
        if let named = node.asProtocol((any NamedDeclSyntax).self), Surroundings(node) == nil { return named.name.text }
        return node.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
    }
}
