import CFuzzer
import Foundation

/// Feeds what takes bytes from outside with bytes that libFuzzer makes up, until one of them crashes it, breaks one of its
/// promises or takes too long: `Fuzz frame CORPUS… -max_total_time=60`. `scripts/fuzz` builds and runs it.
@main struct Fuzz {
    static func main() {
        var arguments = CommandLine.arguments
        let name = arguments.count > 1 ? arguments.remove(at: 1) : ""
        switch name {
        case "frame": run(arguments) { FrameTarget.take(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "decoder": run(arguments) { DecoderTarget.take(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "header": run(arguments) { HeaderTarget.take(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "filter": run(arguments) { FilterTarget.take(UnsafeRawBufferPointer(start: $0, count: $1)) }
        default:
            print("Give a target: frame, decoder, header or filter; then what libFuzzer takes (-help=1).")
            exit(64)
        }
    }

    /// - Parameter target: a C function, so that it can't have a context. It returns 0; -1 keeps its input out of the
    ///   corpus.
    private static func run(_ arguments: [String], _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32) {
        var count = Int32(arguments.count)
        // libFuzzer keeps them for as long as the process lives.
        let copies = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count + 1)
        copies.initialize(repeating: nil, count: arguments.count + 1)
        for (index, argument) in arguments.enumerated() { copies[index] = strdup(argument) }
        var pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = copies
        exit(LLVMFuzzerRunDriver(&count, &pointer, target))
    }
}

/// What must hold of any input.
func promise(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { fatalError(text()) }
}
