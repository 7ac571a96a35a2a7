import BridgeProtocol
import Testing

@Suite struct DeviceInfoTests {
    @Test(arguments: [
        (
            "Mozilla/5.0 (iPad; CPU OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
            DeviceInfo(model: "iPad", system: "iOS 17.4.1")
        ),
        (
            "Hotwire Native Android; Turbo Native Android; Mozilla/5.0 (Linux; Android 15; Pixel 8 Build/AP3A.240905.015; wv)",
            DeviceInfo(model: "Pixel 8", system: "Android 15", framework: "Hotwire Native Android")
        ),
        (
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile",
            DeviceInfo(system: "Android 10")
        ),
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 Turbo Native iOS",
            DeviceInfo(system: "Linux x86_64", framework: "Turbo Native iOS")
        ),
        ("", DeviceInfo()),
    ]) func readsAUserAgent(_ userAgent: String, _ expected: DeviceInfo) {
        #expect(DeviceInfo(userAgent: userAgent) == expected)
    }
}
