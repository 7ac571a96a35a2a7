public import HeadlessUIKit

/// A map. Nothing is drawn; it shows the titles of its markers, so that a flow can read them.
public struct Map: View, GroupView {
    private let titles: [String]

    public init() { titles = [] }
    public init(@MapContentBuilder content: () -> MapMarkers) { titles = content().titles }

    var parts: [Part] { Part.list(titles.map { Text(verbatim: $0) }) }
}

/// What stands on a map.
public struct MapMarkers {
    let titles: [String]
}

/// A place on a map.
public struct Marker {
    public let title: String
    public let coordinate: CLLocationCoordinate2D

    public init(_ title: String, coordinate: CLLocationCoordinate2D) {
        (self.title, self.coordinate) = (title, coordinate)
    }

    public init(_ title: String, systemImage: String, coordinate: CLLocationCoordinate2D) {
        self.init(title, coordinate: coordinate)
    }
}

@resultBuilder public enum MapContentBuilder {
    public static func buildExpression(_ marker: Marker) -> MapMarkers { MapMarkers(titles: [marker.title]) }
    public static func buildBlock(_ parts: MapMarkers...) -> MapMarkers { MapMarkers(titles: parts.flatMap(\.titles)) }
    public static func buildArray(_ parts: [MapMarkers]) -> MapMarkers { MapMarkers(titles: parts.flatMap(\.titles)) }
    public static func buildOptional(_ part: MapMarkers?) -> MapMarkers { part ?? MapMarkers(titles: []) }
    public static func buildEither(first part: MapMarkers) -> MapMarkers { part }
    public static func buildEither(second part: MapMarkers) -> MapMarkers { part }
}

public struct MapStyle: Sendable {
    public enum Elevation: Sendable { case automatic, flat, realistic }

    public static let standard = MapStyle()
    public static let imagery = MapStyle()
    public static let hybrid = MapStyle()

    public static func standard(elevation: Elevation) -> MapStyle { MapStyle() }
    public static func imagery(elevation: Elevation) -> MapStyle { MapStyle() }
    public static func hybrid(elevation: Elevation) -> MapStyle { MapStyle() }
}
