/// A type of files, as far as the usual ones of the web are known.
public struct UTType: Hashable, Sendable {
    public let identifier: String
    public let preferredFilenameExtension: String?
    public let preferredMIMEType: String?

    private static let known: [UTType] = [
        .html, .json, .pdf, .plainText, .jpeg, .png, .gif, .svg, .webP, .heic, .mpeg4Movie, .quickTimeMovie, .mp3, .zip,
        .xml,
        .commaSeparatedText, .init("public.css", "css", "text/css"),
        .init("com.netscape.javascript-source", "js", "text/javascript"), .init("public.font", "woff2", "font/woff2"),
        .init("public.calendar", "ics", "text/calendar"), .init("com.microsoft.ico", "ico", "image/vnd.microsoft.icon"),
    ]

    private init(_ identifier: String, _ filenameExtension: String?, _ type: String?) {
        (self.identifier, preferredFilenameExtension, preferredMIMEType) = (identifier, filenameExtension, type)
    }

    public init?(_ identifier: String) {
        guard let found = UTType.known.first(where: { $0.identifier == identifier }) else { return nil }
        self = found
    }

    /// A type that is not known here has an identifier of its own, and no MIME type.
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
        guard !filenameExtension.isEmpty else { return nil }
        let name =
            ["jpg": "jpeg", "htm": "html", "text": "txt", "mov": "mov"][filenameExtension.lowercased()]
            ?? filenameExtension.lowercased()
        self = UTType.known.first { $0.preferredFilenameExtension == name } ?? UTType("dyn.\(name)", name, nil)
    }

    public init?(mimeType: String, conformingTo supertype: UTType = .data) {
        let name = mimeType.lowercased()
        self = UTType.known.first { $0.preferredMIMEType == name } ?? UTType("dyn.\(name)", nil, name)
    }

    public func conforms(to type: UTType) -> Bool {
        guard self != type, type != .item, type != .data, type != .content else { return true }
        let group = preferredMIMEType?.split(separator: "/").first.map(String.init)
        switch type {
        case .image: return group == "image"
        case .movie, .video: return group == "video"
        case .audio: return group == "audio"
        case .text: return group == "text"
        default: return false
        }
    }

    public static let item = UTType("public.item", nil, nil)
    public static let data = UTType("public.data", nil, nil)
    public static let content = UTType("public.content", nil, nil)
    public static let folder = UTType("public.folder", nil, nil)
    public static let url = UTType("public.url", nil, nil)
    public static let image = UTType("public.image", nil, nil)
    public static let movie = UTType("public.movie", nil, nil)
    public static let video = UTType("public.video", nil, nil)
    public static let audio = UTType("public.audio", nil, nil)
    public static let text = UTType("public.text", nil, nil)
    public static let html = UTType("public.html", "html", "text/html")
    public static let json = UTType("public.json", "json", "application/json")
    public static let xml = UTType("public.xml", "xml", "application/xml")
    public static let pdf = UTType("com.adobe.pdf", "pdf", "application/pdf")
    public static let plainText = UTType("public.plain-text", "txt", "text/plain")
    public static let commaSeparatedText = UTType("public.comma-separated-values-text", "csv", "text/csv")
    public static let jpeg = UTType("public.jpeg", "jpeg", "image/jpeg")
    public static let png = UTType("public.png", "png", "image/png")
    public static let gif = UTType("com.compuserve.gif", "gif", "image/gif")
    public static let svg = UTType("public.svg-image", "svg", "image/svg+xml")
    public static let webP = UTType("org.webmproject.webp", "webp", "image/webp")
    public static let heic = UTType("public.heic", "heic", "image/heic")
    public static let mpeg4Movie = UTType("public.mpeg-4", "mp4", "video/mp4")
    public static let quickTimeMovie = UTType("com.apple.quicktime-movie", "mov", "video/quicktime")
    public static let mp3 = UTType("public.mp3", "mp3", "audio/mpeg")
    public static let zip = UTType("public.zip-archive", "zip", "application/zip")
}
