/// The screen that a driven browser imitates: its size, and the colours that its user prefers.
public struct PageEmulation: JSONObject, Sendable, Equatable {
    /// `prefers-color-scheme` (Media Queries Level 5).
    public enum ColorScheme: String, CaseIterable, Sendable {
        case light, dark
    }

    /// The size of the viewport in CSS pixels.
    public struct Size: Sendable, Equatable {
        public let width: Int
        public let height: Int

        public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
    }

    /// Nil leaves the size as it is.
    public let size: Size?
    /// Nil leaves the colours as they are.
    public let colorScheme: ColorScheme?

    /// - Parameter params: the params of `page.emulate`.
    public init(_ params: JSON) throws(RPCError) {
        var reader = ParamsReader(params)
        try self.init(&reader)
    }

    /// Reads the params of `page.emulate`.
    init(_ params: inout ParamsReader) throws(RPCError) {
        let width = try params.optional("width", .length, "The width of the viewport in CSS pixels.")
        let height = try params.optional("height", .length, "The height of the viewport in CSS pixels.")
        colorScheme = try params.optional("colorScheme", .oneOf(ColorScheme.light), "What the user prefers.")
        switch (width, height) {
        case (let width?, let height?): size = Size(width: width, height: height)
        case (nil, nil) where colorScheme != nil: size = nil
        default: throw .invalidParams(at: "", "expected width and height, colorScheme, or all of them")
        }
    }

    /// The params of `page.emulate`.
    public var members: JSONMembers {
        ["width": size?.width, "height": size?.height, "colorScheme": colorScheme?.rawValue]
    }
}
