public import Foundation
public import HeadlessUIKit

/// A text that the app's tables may translate.
public struct LocalizedStringKey: ExpressibleByStringInterpolation, Equatable, Sendable {
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { text += literal }
        public mutating func appendInterpolation<Value>(_ value: Value) { text += "\(value)" }
        public mutating func appendInterpolation(_ text: Text) { self.text += text.text }
        public mutating func appendInterpolation<Value>(_ value: Value, specifier: String) {
            guard let argument = value as? any CVarArg else { return text += "\(value)" }
            text += String(format: specifier, argument)
        }
        public mutating func appendInterpolation<Format: FormatStyle>(_ value: Format.FormatInput, format: Format)
        where Format.FormatOutput == String { text += format.format(value) }
        public mutating func appendInterpolation(_ date: Date, style: Text.DateStyle) { text += style.text(date) }
    }

    private let key: String

    public init(_ value: String) { key = value }
    public init(stringLiteral value: String) { key = value }
    public init(stringInterpolation: StringInterpolation) { key = stringInterpolation.text }

    var text: String { Bundle.main.localizedString(forKey: key, value: nil, table: nil) }
}

public struct Text: Equatable, Sendable {
    public enum DateStyle: Sendable {
        case date, time, relative, offset, timer

        fileprivate func text(_ date: Date) -> String {
            let formatter = DateFormatter()
            formatter.dateStyle = self == .time ? .none : .long
            formatter.timeStyle = self == .date ? .none : .short
            return formatter.string(from: date)
        }
    }
    public enum TruncationMode: Sendable { case head, middle, tail }
    public enum Case: Sendable { case uppercase, lowercase }

    let text: String

    public init(
        _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil, comment: StaticString? = nil
    ) {
        text = key.text
    }
    @_disfavoredOverload public init<Content: StringProtocol>(_ content: Content) { text = String(content) }
    public init(verbatim content: String) { text = content }
    public init(_ date: Date, style: DateStyle) { text = style.text(date) }
    public init<Format: FormatStyle>(_ input: Format.FormatInput, format: Format) where Format.FormatOutput == String {
        text = format.format(input)
    }
    public init(_ image: Image) { text = "" }
    public init(_ attributed: AttributedString) { text = String(attributed.characters) }

    public static func + (left: Text, right: Text) -> Text { Text(verbatim: left.text + right.text) }

    public func bold() -> Text { self }
    public func italic() -> Text { self }
    public func underline(_ isActive: Bool = true, color: Color? = nil) -> Text { self }
    public func strikethrough(_ isActive: Bool = true, color: Color? = nil) -> Text { self }
    public func font(_ font: Font?) -> Text { self }
    public func fontWeight(_ weight: Font.Weight?) -> Text { self }
    public func foregroundColor(_ color: Color?) -> Text { self }
    public func kerning(_ kerning: CGFloat) -> Text { self }
    public func tracking(_ tracking: CGFloat) -> Text { self }
    public func monospacedDigit() -> Text { self }
}

extension Text: View, UIKitView {
    func makeView(_ node: ViewNode<Self>) -> UILabel { UILabel() }
    func update(_ view: UILabel, _ node: ViewNode<Self>) { view.text = text }
}

public struct Image: Equatable, Sendable {
    public enum ResizingMode: Sendable { case tile, stretch }
    public enum Scale: Sendable { case small, medium, large }
    public enum TemplateRenderingMode: Sendable { case template, original }
    public enum Interpolation: Sendable { case none, low, medium, high }

    private let image: UIImage?

    public init(systemName: String) { image = UIImage(systemName: systemName) }
    public init(_ name: String, bundle: Bundle? = nil) { image = UIImage(named: name) }
    public init(decorative name: String, bundle: Bundle? = nil) { image = UIImage(named: name) }
    public init(uiImage: UIImage) { image = uiImage }

    public func resizable(capInsets: EdgeInsets = EdgeInsets(), resizingMode: ResizingMode = .stretch) -> Image { self }
    public func renderingMode(_ mode: TemplateRenderingMode?) -> Image { self }
    public func interpolation(_ interpolation: Interpolation) -> Image { self }
}

extension Image: View, UIKitView {
    func makeView(_ node: ViewNode<Self>) -> UIImageView { UIImageView(image: image) }
    func update(_ view: UIImageView, _ node: ViewNode<Self>) { view.image = image }
}

/// An image of a URL. It is not loaded; the placeholder is shown.
public struct AsyncImage<Content: View>: View, GroupView {
    private let content: () -> Content

    public init(url: URL?, scale: CGFloat = 1) where Content == EmptyView { content = { EmptyView() } }
    public init<Shown: View, Placeholder: View>(
        url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> Shown,
        @ViewBuilder placeholder: @escaping () -> Placeholder
    ) where Content == _ConditionalContent<Shown, Placeholder> {
        self.content = { _ConditionalContent(branch: 1, view: placeholder()) }
    }
    public init(
        url: URL?, scale: CGFloat = 1, transaction: Transaction = Transaction(),
        @ViewBuilder content: @escaping (AsyncImagePhase) -> Content
    ) { self.content = { content(.empty) } }

    var parts: [Part] { [Part(id: 0, view: content())] }
}

public enum AsyncImagePhase: Sendable {
    case empty, success(Image), failure(any Error)

    public var image: Image? { if case .success(let image) = self { image } else { nil } }
    public var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

/// A title with an icon.
public struct Label<Title: View, Icon: View>: View, GroupView {
    private let title: Title
    private let icon: Icon

    public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {
        (self.title, self.icon) = (title(), icon())
    }
    public init(_ title: LocalizedStringKey, systemImage: String) where Title == Text, Icon == Image {
        (self.title, icon) = (Text(title), Image(systemName: systemImage))
    }
    public init(_ title: LocalizedStringKey, image: String) where Title == Text, Icon == Image {
        (self.title, icon) = (Text(title), Image(image))
    }
    @_disfavoredOverload public init(_ title: some StringProtocol, systemImage: String)
    where Title == Text, Icon == Image {
        (self.title, icon) = (Text(title), Image(systemName: systemImage))
    }
    @_disfavoredOverload public init(_ title: some StringProtocol, image: String) where Title == Text, Icon == Image {
        (self.title, icon) = (Text(title), Image(image))
    }

    var parts: [Part] { Part.list([icon, title]) }
}
