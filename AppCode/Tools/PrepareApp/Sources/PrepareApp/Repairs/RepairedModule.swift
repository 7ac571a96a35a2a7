import Foundation

/// A module whose files the compiler refuses in places: decides what is cut, and writes the declarations that this needs.
struct RepairedModule {
    private let files: [RepairedFile]
    private var repairs: Repairs

    /// - Parameter texts: the files as the rewriter has made them, by path.
    init(_ texts: [String: String], _ repairs: Repairs) {
        self.repairs = repairs
        files = texts.keys.sorted().map { path in
            let text = texts[path] ?? ""
            let known = repairs.files[path].flatMap { $0.text == Repairs.hash(text) ? $0.cuts : nil }
            return RepairedFile(path: path, text: text, cuts: known ?? [])
        }
        // A file that has changed may no longer use a type.
        self.repairs.types = repairs.types.filter { name, _ in
            let own = name.split(separator: ".").last.map(String.init) ?? name
            return texts.values.contains { $0.contains(own) }
        }
    }

    /// Decides what is cut so that errors disappear.
    mutating func repair(_ errors: [CompilerError]) {
        repairs.refusals = []
        forgetTypes(refusedBy: errors.filter { $0.path == RepairedModule.fileName })
        // The places of errors are those of the last output, so that they are found before anything changes.
        let places = files.map { file in
            let output = Array(file.output.utf8)
            return errors.filter { $0.path == file.path }.compactMap { error in
                file.origin(of: error, in: output).map { (error: error, offset: $0.offset, cut: $0.cut) }
            }
        }
        let before = files.map(\.cuts)
        let origins = Dictionary(
            files.flatMap(\.cuts).flatMap { cut in cut.declared.map { ($0, cut.what) } },
            uniquingKeysWith: { first, _ in first })
        cutImports(errors)
        var types: Set<String> = []
        let (protected, properties) = (ProtectedCode(files), PropertyNames(files).all)
        for (index, file) in files.enumerated() {
            for (error, offset, cut) in places[index] {
                if error.text.hasPrefix("no such module") { continue }
                // An import that was missing may be all that is wrong.
                if file.addImport(for: error) { continue }
                // A name whose declaration was cut is not a missing type.
                if let name = missingType(error), origins[name] == nil, repairs.types[name] == nil,
                    !repairs.impossibleTypes.contains(name)
                {
                    types.insert(name)
                    continue
                }
                // What was cut for another error of this round may have been the cause of this one.
                if file.cuts.contains(where: { $0.range.contains(offset) && !before[index].contains($0) }) { continue }
                let finder = CutFinder(file: file, origins: origins, protected: protected, properties: properties)
                switch finder.find(error, at: offset, beyond: cut) {
                case .cut(let new): file.add(new)
                case .refused(let reason):
                    repairs.refusals.append(
                        .init(path: file.path, line: error.line, text: error.text, reason: reason))
                }
            }
        }
        repairs.types = MissingTypes.declarations(of: types.union(repairs.types.keys), in: files)
    }

    /// Cuts each import of a module that Linux lacks, because the compiler names only one place.
    private func cutImports(_ errors: [CompilerError]) {
        let modules = errors.compactMap { $0.text.wholeMatch(of: /no such module '([^']+)'/).map { String($0.1) } }
        for module in Set(modules).sorted() {
            for file in files where file.text.contains(module) { file.cutImports(of: module) }
        }
    }

    /// A type that can be declared so that an error disappears.
    private func missingType(_ error: CompilerError) -> String? {
        if let match = error.text.wholeMatch(of: /cannot find type '(\w+)' in scope/) { return String(match.1) }
        if let match = error.text.wholeMatch(
            of: /'(\w+)' is not a member type of (?:class|struct|enum) '(?:\w+\.)?(\w+)'/)
        {
            return "\(match.2).\(match.1)"
        }
        return nil
    }

    /// Forgets declarations that the compiler refuses: these types are not missing.
    private mutating func forgetTypes(refusedBy errors: [CompilerError]) {
        let names = repairs.types.keys.sorted()
        // The declarations begin below the lines that are always there, one on each line.
        let first = RepairedModule.head.split(separator: "\n", omittingEmptySubsequences: false).count + 1
        for index in Set(errors.map { $0.line - first }) where names.indices.contains(index) {
            repairs.types[names[index]] = nil
            repairs.impossibleTypes.insert(names[index])
        }
    }

    /// What is written: the files, and one with declarations if anything was cut.
    var outputs: [String: String] {
        var outputs = Dictionary(files.map { ($0.path, $0.output) }) { first, _ in first }
        if files.contains(where: { !$0.cuts.isEmpty }) || !repairs.types.isEmpty {
            let types = repairs.types.keys.sorted().compactMap { repairs.types[$0] }
            outputs[RepairedModule.fileName] = ([RepairedModule.head] + types).joined(separator: "\n") + "\n"
        }
        return outputs
    }

    var state: Repairs {
        var state = repairs
        state.files = [:]
        for file in files where !file.cuts.isEmpty {
            state.files[file.path] = .init(text: Repairs.hash(file.text), cuts: file.cuts)
        }
        return state
    }

    static let fileName = "BridgedMissing.swift"

    private static let head = """
        // bridged has written this file. It declares what the module lacks on Linux, and records each use.
        import Foundation
        import HeadlessSwiftUI
        import UIKit
        nonisolated func bridgedCut(_ what: String, _ file: String, _ line: Int) { MissingCode.shared.record(what, file, line) }
        @discardableResult @MainActor func bridgedCutView(_ what: String, _ file: String, _ line: Int) -> EmptyView { MissingCode.shared.record(what, file, line); return EmptyView() }
        extension View { func bridgedCut(_ what: String, _ file: String, _ line: Int) -> Self { MissingCode.shared.record(what, file, line); return self } }
        """
}
