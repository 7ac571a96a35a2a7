/// The reason that an app cannot be read, fetched or built. The text ends with what to do about it.
package struct BuildFailure: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
