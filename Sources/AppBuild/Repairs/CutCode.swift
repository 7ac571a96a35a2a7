import Foundation

/// What `prepare-app` has cut out of a module, as it writes it. `AppCode/Tools/PrepareApp` has the same types.
struct Repairs: Decodable, Equatable {
    struct File: Decodable, Equatable {
        var cuts: [Cut]
    }

    struct Cut: Decodable, Equatable {
        /// `adapted` if nothing is lost.
        let kind: String
        let line: Int
        let what: String
        let owner: String
        /// The bytes that are cut, by which a change is noticed.
        var start = 0
        var end = 0
    }

    /// A place that the compiler refuses and that must not be cut.
    struct Refusal: Decodable, Equatable {
        let path: String
        let line: Int
        let text: String
        let reason: String
    }

    var files: [String: File] = [:]
    /// The declarations of types that Linux lacks, by name.
    var types: [String: String] = [:]
    var refusals: [Refusal] = []

    init() {}

    init(_ file: URL) {
        let data = try? Data(contentsOf: file)
        self = data.flatMap { try? JSONDecoder().decode(Repairs.self, from: $0) } ?? Repairs()
    }
}

/// What was cut out of an app's modules so that they compile, for people.
package struct CutReport {
    /// A place that was cut.
    package struct Place: Equatable {
        /// The file and line, as in `/app/Screen.swift:3`.
        let place: String
        let owner: String
        let what: String
        let kind: String
    }

    private(set) var places: [Place] = []
    /// The names of types that were declared.
    private(set) var types: [String] = []
    private var files = 0
    private var cutFiles = 0
    /// The modules of packages that lack something.
    private var packages: [String] = []
    private let kinds: MissingKinds

    init(_ package: LinuxPackage, _ kinds: MissingKinds) {
        self.kinds = kinds
        var types: Set<String> = []
        for module in package.modules where module.kind != .tests {
            let repairs = Repairs(package.repairs(of: module))
            let originals = Dictionary(module.sources.map { ($0.path, $0.file.path) }) { first, _ in first }
            let before = places.count
            files += module.sources.count
            for (path, file) in repairs.files.sorted(by: { $0.key < $1.key }) {
                let cuts = file.cuts.filter { $0.kind != "adapted" }
                cutFiles += cuts.isEmpty ? 0 : 1
                places += cuts.map {
                    Place(place: "\(originals[path] ?? path):\($0.line)", owner: $0.owner, what: $0.what, kind: $0.kind)
                }
            }
            types.formUnion(repairs.types.keys)
            if places.count > before, module.kind == .library { packages.append(module.name) }
        }
        self.types = types.sorted()
    }

    package var isEmpty: Bool { places.isEmpty && types.isEmpty }

    /// The lines that a build ends with.
    package var description: String {
        guard !isEmpty else { return "" }
        var lines = [
            "\(files - cutFiles) of \(files) files as they are; \(CutReport.count(places.count, "place")) cut:"
        ]
        lines += places.prefix(60).map { place in
            "  \(place.place): \(place.owner.isEmpty ? "" : "\(place.owner): ")\(place.what)"
        }
        if places.count > 60 { lines.append("  … and \(places.count - 60) more") }
        if !types.isEmpty { lines.append("Types that are empty here: \(types.joined(separator: ", "))") }
        lines += kinds.lines(for: places.map(\.what) + types.map { "`\($0)`" })
        if !packages.isEmpty {
            lines.append("Not only the app is cut, but also: \(Set(packages).sorted().joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
