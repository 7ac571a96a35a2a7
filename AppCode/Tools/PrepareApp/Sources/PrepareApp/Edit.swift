/// A change of a source file: bytes that are replaced by a text with as many line breaks.
struct Edit {
    let range: Range<Int>
    let replacement: String
    /// What changed and why, for people.
    let reason: String
}

extension [Edit] {
    /// Applies the edits to a text. Of two edits that overlap, the one that begins first counts.
    func applied(to source: String) -> String {
        var (bytes, end) = ([UInt8](), 0)
        let original = Array<UInt8>(source.utf8)
        for edit in sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            guard edit.range.lowerBound >= end, edit.range.upperBound <= original.count else { continue }
            bytes += original[end..<edit.range.lowerBound]
            bytes += edit.replacement.utf8
            end = edit.range.upperBound
        }
        bytes += original[end...]
        return String(decoding: bytes, as: UTF8.self)
    }
}
