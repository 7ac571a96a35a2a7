import Foundation

/// Cuts out of a module what the compiler refuses, until it refuses nothing.
struct ModuleRepair {
    let module: AppModule
    let package: LinuxPackage
    let preparation: Preparation
    let check: ModuleCheck

    /// Each round cuts at least one place more, or gives up.
    private static let maximumRounds = 40

    /// - Throws: what is left, if something must not be cut.
    func run() throws(BuildFailure) {
        let folder = package.sources(of: module)
        let file = package.repairs(of: module)
        for _ in 0..<ModuleRepair.maximumRounds {
            guard var output = try check.errors(in: folder) else { return }
            if output.contains("no such module") {
                output += try check.missingModules(in: folder)
                // Without these, everything would be cut.
                let own = ["Foundation", "UIKit", "WebKit", "HeadlessSwiftUI", "HeadlessOSLog", "AppHost"]
                if own.contains(where: { output.contains("no such module '\($0)'") }) {
                    throw failure(output, Repairs())
                }
            }
            let before = Repairs(file)
            try preparation.prepare(module, in: folder, repairs: file, compilerOutput: output)
            let after = Repairs(file)
            guard after.files == before.files, after.types == before.types else { continue }
            throw failure(output, after)
        }
        throw BuildFailure(
            "\(module.name) still does not compile after \(ModuleRepair.maximumRounds) rounds of cuts:\n"
                + package.errors(try check.errors(in: folder) ?? "").description)
    }

    private func failure(_ output: String, _ repairs: Repairs) -> BuildFailure {
        let errors = package.errors(output)
        let originals = Dictionary(module.sources.map { ($0.path, $0.file.path) }) { first, _ in first }
        let refusals = repairs.refusals.map {
            "  \(originals[$0.path] ?? $0.path):\($0.line): \($0.text)\n    It cannot be left out: \($0.reason)."
        }
        guard !refusals.isEmpty || !errors.problems.isEmpty else {
            let end = output.split(whereSeparator: \.isNewline).suffix(15).joined(separator: "\n  ")
            return BuildFailure("The compiler has failed for \(module.name):\n  \(end)")
        }
        guard !refusals.isEmpty else { return BuildFailure(errors.description) }
        return BuildFailure((["The compiler refuses:"] + refusals).joined(separator: "\n"))
    }
}
