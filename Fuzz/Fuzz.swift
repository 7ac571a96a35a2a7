import CFuzzer
import Foundation

/// Runs libFuzzer on the code that reads bytes from outside, until an input crashes it, violates a check or takes too
/// long: `Fuzz frame CORPUS… -max_total_time=60`. `scripts/fuzz` builds and runs it.
@main struct Fuzz {
    static func main() {
        var arguments = CommandLine.arguments
        let name = arguments.count > 1 ? arguments.remove(at: 1) : ""
        switch name {
        case "frame": run(arguments) { FrameTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "decoder": run(arguments) { DecoderTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "header": run(arguments) { HeaderTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "record": run(arguments) { RecordTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
        case "filter": run(arguments) { FilterTarget.run(UnsafeRawBufferPointer(start: $0, count: $1)) }
        default:
            print("Expected a target: frame, decoder, header, filter or record. Options of libFuzzer may follow.")
            exit(64)
        }
    }

    /// Runs libFuzzer on a target.
    ///
    /// - Parameter target: a C function, which cannot capture anything. It returns 0, or -1 to keep its input out of
    ///   the corpus.
    private static func run(_ arguments: [String], _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32) {
        var count = Int32(arguments.count)
        // libFuzzer uses the arguments until the process ends.
        let copies = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count + 1)
        copies.initialize(repeating: nil, count: arguments.count + 1)
        for (index, argument) in arguments.enumerated() { copies[index] = strdup(argument) }
        var pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = copies
        exit(LLVMFuzzerRunDriver(&count, &pointer, target))
    }
}

/// Stops with a message if a property that must hold for every input does not.
func check(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { fatalError(text()) }
}
