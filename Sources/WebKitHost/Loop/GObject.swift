import CWebKitGTK

/// A reference to an object of GObject, which it releases in the end. A function that hands the pointer to the library
/// takes this object as a parameter, or has it in a constant: Swift may release a temporary one before the call.
final class GObject<Object> {
    let pointer: UnsafeMutablePointer<Object>

    /// - Parameter pointer: a reference that the caller owned.
    init(adopting pointer: UnsafeMutablePointer<Object>) { self.pointer = pointer }

    /// - Parameter pointer: a reference that somebody else owns.
    init(_ pointer: UnsafeMutablePointer<Object>) {
        g_object_ref(pointer)
        self.pointer = pointer
    }

    deinit { g_object_unref(pointer) }
}
