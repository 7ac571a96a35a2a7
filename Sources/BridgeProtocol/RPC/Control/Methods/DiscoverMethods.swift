/// `rpc.discover`, OpenRPC's own: https://spec.open-rpc.org/#service-discovery-method
public struct DiscoverMethods: ControlMethod {
    public static let name = "rpc.discover"
    public static let summary = "Returns this document."
    public static let result: JSONValue = [
        "$ref": "https://raw.githubusercontent.com/open-rpc/meta-schema/master/schema.json"
    ]

    public init(_ params: inout ParamsReader) {}
}
