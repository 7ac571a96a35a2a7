/// What to do with a result that C hands to a function with a pointer.
@MainActor final class Callback<Value> {
    let run: @MainActor (Value) -> Void

    init(_ run: @escaping @MainActor (Value) -> Void) { self.run = run }

    /// The pointer for C. It keeps this object until `take`.
    func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func take(_ data: UnsafeMutableRawPointer?) -> Callback? {
        data.map { Unmanaged<Callback>.fromOpaque($0).takeRetainedValue() }
    }
}
