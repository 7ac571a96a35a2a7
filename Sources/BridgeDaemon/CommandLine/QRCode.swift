/// A QR code (ISO/IEC 18004) of the bytes of a text, in the versions 1 to 10. The error correction is L, because a screen
/// has no dirt, and a small code fits more terminals.
struct QRCode: Equatable {
    /// The number of modules of one side.
    let size: Int
    private var modules: [Bool]

    /// Makes the smallest code that has room for the text.
    /// - Parameter mask: 0 to 7; nil for the one with the lowest penalty.
    /// - Returns: nil if the text has more than 271 bytes.
    init?(_ text: String, mask: Int? = nil) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.smallest(for: bytes.count) else { return nil }
        let canvas = QRCanvas(version, codewords: version.codewords(of: bytes))
        let codes = (mask.map { $0...$0 } ?? 0...7).map(canvas.masked)
        guard let best = codes.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self = best
    }

    fileprivate init(size: Int, modules: [Bool]) { (self.size, self.modules) = (size, modules) }

    /// Whether a module is dark. Outside of the code all is light.
    subscript(x: Int, y: Int) -> Bool {
        (0..<size).contains(x) && (0..<size).contains(y) && modules[y * size + x]
    }

    /// The code as lines of half blocks, with the quiet zone around it: dark on light, whatever the terminal's colours.
    var terminalLines: [String] {
        let quiet = 4
        return stride(from: -quiet, to: size + quiet, by: 2).map { y in
            let blocks = (-quiet..<size + quiet).map { x in
                switch (self[x, y], self[x, y + 1]) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return "\u{1B}[30;107m\(blocks.joined())\u{1B}[0m"
        }
    }
}

// MARK: Penalties

extension QRCode {
    /// How hard the code is to read (section 7.8.3 of the standard).
    var penalty: Int {
        let lines = (0..<size).flatMap { index in
            [(0..<size).map { self[$0, index] }, (0..<size).map { self[index, $0] }]
        }
        return lines.reduce(blocks + imbalance) { $0 + QRCode.runs(of: $1) + QRCode.finders(in: $1) }
    }

    /// Five or more modules of the same kind.
    private static func runs(of line: [Bool]) -> Int {
        var (sum, length) = (0, 0)
        for (index, module) in line.enumerated() {
            length = index > 0 && line[index - 1] == module ? length + 1 : 1
            if length >= 5 { sum += length == 5 ? 3 : 1 }
        }
        return sum
    }

    /// What looks like a finder pattern beside four light modules. The quiet zone counts.
    private static func finders(in line: [Bool]) -> Int {
        let finder = [true, false, true, true, true, false, true]
        let padded = Array(repeating: false, count: 4) + line + Array(repeating: false, count: 4)
        return (4...padded.count - 11).count {
            Array(padded[$0..<$0 + 7]) == finder
                && (!padded[$0 - 4..<$0].contains(true) || !padded[$0 + 7..<$0 + 11].contains(true))
        } * 40
    }

    /// Squares of four modules of the same kind.
    private var blocks: Int {
        var count = 0
        for y in 0..<size - 1 {
            for x in 0..<size - 1 where isBlock(x, y) { count += 1 }
        }
        return count * 3
    }

    private func isBlock(_ x: Int, _ y: Int) -> Bool {
        let module = self[x, y]
        return self[x + 1, y] == module && self[x, y + 1] == module && self[x + 1, y + 1] == module
    }

    /// Each 5 % by which the dark modules are not half of all.
    private var imbalance: Int {
        let dark = modules.count { $0 }
        return abs(dark * 20 - modules.count * 10) / modules.count * 10
    }
}

// MARK: Codewords

/// What the standard's tables say of a version, with the error correction L.
private struct QRVersion {
    let number: Int
    /// How many codewords there are, including those for error correction.
    let total: Int
    let blocks: Int
    /// How many codewords of each block are for error correction.
    let correction: Int
    /// Where the centres of the alignment patterns are.
    let alignment: [Int]

    var size: Int { 17 + 4 * number }
    private var dataCount: Int { total - blocks * correction }
    /// How many bits the number of bytes has.
    private var countBits: Int { number < 10 ? 8 : 16 }

    private static let all = [
        QRVersion(number: 1, total: 26, blocks: 1, correction: 7, alignment: []),
        QRVersion(number: 2, total: 44, blocks: 1, correction: 10, alignment: [6, 18]),
        QRVersion(number: 3, total: 70, blocks: 1, correction: 15, alignment: [6, 22]),
        QRVersion(number: 4, total: 100, blocks: 1, correction: 20, alignment: [6, 26]),
        QRVersion(number: 5, total: 134, blocks: 1, correction: 26, alignment: [6, 30]),
        QRVersion(number: 6, total: 172, blocks: 2, correction: 18, alignment: [6, 34]),
        QRVersion(number: 7, total: 196, blocks: 2, correction: 20, alignment: [6, 22, 38]),
        QRVersion(number: 8, total: 242, blocks: 2, correction: 24, alignment: [6, 24, 42]),
        QRVersion(number: 9, total: 292, blocks: 2, correction: 30, alignment: [6, 26, 46]),
        QRVersion(number: 10, total: 346, blocks: 4, correction: 18, alignment: [6, 28, 50]),
    ]

    static func smallest(for count: Int) -> QRVersion? {
        all.first { 4 + $0.countBits + 8 * count <= 8 * $0.dataCount }
    }

    /// The codewords of the data and of the error correction, in the order in which they are drawn.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        let data = padded(bytes)
        let shorter = blocks - dataCount % blocks
        var parts: [[UInt8]] = []
        var start = 0
        for index in 0..<blocks {
            let count = dataCount / blocks + (index < shorter ? 0 : 1)
            parts.append(Array(data[start..<start + count]))
            start += count
        }
        let divisor = GaloisField.divisor(ofDegree: correction)
        return interleaved(parts) + interleaved(parts.map { GaloisField.remainder(of: $0, by: divisor) })
    }

    /// The mode, the number of bytes, the bytes, and what fills the rest.
    private func padded(_ bytes: [UInt8]) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) { bits += (0..<count).reversed().map { value >> $0 & 1 == 1 } }
        append(0b0100, 4)
        append(bytes.count, countBits)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, 8 * dataCount - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        let codewords = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        let filling = (0..<dataCount - codewords.count).map { UInt8($0 % 2 == 0 ? 0xEC : 0x11) }
        return codewords + filling
    }

    /// The first codeword of each part, then the second…
    private func interleaved(_ parts: [[UInt8]]) -> [UInt8] {
        (0..<(parts.map(\.count).max() ?? 0)).flatMap { index in
            parts.filter { index < $0.count }.map { $0[index] }
        }
    }
}

/// Reed-Solomon codes over GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1.
private enum GaloisField {
    static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
        var result: UInt8 = 0
        for bit in (0..<8).reversed() {
            let overflow: UInt8 = result >> 7 == 1 ? 0x1D : 0
            let summand: UInt8 = other >> bit & 1 == 1 ? one : 0
            result = (result << 1) ^ overflow ^ summand
        }
        return result
    }

    /// The product of all (x - 2^i), without its first coefficient, which is 1.
    static func divisor(ofDegree degree: Int) -> [UInt8] {
        var result = Array(repeating: UInt8(0), count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                result[index] = product(result[index], root) ^ (index + 1 < degree ? result[index + 1] : 0)
            }
            root = product(root, 2)
        }
        return result
    }

    static func remainder(of data: [UInt8], by divisor: [UInt8]) -> [UInt8] {
        data.reduce(into: Array(repeating: UInt8(0), count: divisor.count)) { result, byte in
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for index in result.indices { result[index] ^= product(divisor[index], factor) }
        }
    }
}

// MARK: Modules

/// A code without a mask.
private struct QRCanvas {
    private let size: Int
    private var modules: [Bool]
    /// Which modules are not data, and so are not masked.
    private var isFunction: [Bool]

    init(_ version: QRVersion, codewords: [UInt8]) {
        size = version.size
        modules = Array(repeating: false, count: size * size)
        isFunction = modules
        drawTiming()
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(x, y) }
        drawAlignment(version.alignment)
        drawFormat(mask: 0)
        if version.number >= 7 { draw(version: version.number) }
        draw(codewords)
    }

    /// The code with the mask.
    func masked(by mask: Int) -> QRCode {
        var copy = self
        copy.drawFormat(mask: mask)
        for y in 0..<size {
            for x in 0..<size where !isFunction[y * size + x] && QRCanvas.inverts(mask, x, y) {
                copy.modules[y * size + x].toggle()
            }
        }
        return QRCode(size: size, modules: copy.modules)
    }

    private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        modules[y * size + x] = isDark
        isFunction[y * size + x] = true
    }

    private mutating func drawTiming() {
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
    }

    /// Draws a finder pattern and the light modules around it.
    private mutating func drawFinder(_ x: Int, _ y: Int) {
        for dy in -4...4 {
            for dx in -4...4 {
                let distance = max(abs(dx), abs(dy))
                set(x + dx, y + dy, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawAlignment(_ centres: [Int]) {
        guard let last = centres.last else { return }
        for y in centres {
            for x in centres where ![(6, 6), (6, last), (last, 6)].contains(where: { $0 == (x, y) }) {
                for dy in -2...2 {
                    for dx in -2...2 { set(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
                }
            }
        }
    }

    /// Draws, twice, the error correction and the mask, with a BCH code.
    private mutating func drawFormat(mask: Int) {
        let data = 0b01 << 3 | mask  // 01 is L.
        let bits = (data << 10 | QRCanvas.remainder(of: data, by: 0x537, degree: 10)) ^ 0x5412
        let isDark = { (index: Int) in bits >> index & 1 == 1 }
        for index in 0..<6 { set(8, index, isDark(index)) }
        set(8, 7, isDark(6))
        set(8, 8, isDark(7))
        set(7, 8, isDark(8))
        for index in 9..<15 { set(14 - index, 8, isDark(index)) }
        for index in 0..<8 { set(size - 1 - index, 8, isDark(index)) }
        for index in 8..<15 { set(8, size - 15 + index, isDark(index)) }
        set(8, size - 8, true)
    }

    private mutating func draw(version: Int) {
        let bits = version << 12 | QRCanvas.remainder(of: version, by: 0x1F25, degree: 12)
        for index in 0..<18 {
            let (far, near) = (size - 11 + index % 3, index / 3)
            set(far, near, bits >> index & 1 == 1)
            set(near, far, bits >> index & 1 == 1)
        }
    }

    private static func remainder(of data: Int, by divisor: Int, degree: Int) -> Int {
        (0..<degree).reduce(data) { result, _ in (result << 1) ^ ((result >> (degree - 1)) * divisor) }
    }

    /// Draws the codewords in columns of two modules, up and down, from the right.
    private mutating func draw(_ codewords: [UInt8]) {
        var index = 0
        for column in stride(from: size - 1, to: 0, by: -2) {
            // The column of the timing pattern has no data.
            let right = column <= 6 ? column - 1 : column
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<size {
                let y = isUpward ? size - 1 - step : step
                for x in [right, right - 1] where !isFunction[y * size + x] && index < 8 * codewords.count {
                    modules[y * size + x] = codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    index += 1
                }
            }
        }
    }
}
