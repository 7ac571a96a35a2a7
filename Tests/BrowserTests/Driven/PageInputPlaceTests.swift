import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Where a tap lands, if its place comes from the picture of the page, as in the inspector.
@MainActor @Suite(.serialized, .timeLimit(.minutes(5)), .browserTurns) struct PageInputPlaceTests {
    /// What moves the picture against the page.
    enum Look: String, CaseIterable {
        case plain, zoomedByStyle, zoomedByViewport, withoutViewport

        /// The start of the document.
        var head: String {
            switch self {
            case .plain: "<meta name=viewport content='width=device-width'>"
            case .zoomedByStyle: "<meta name=viewport content='width=device-width'><style>html { zoom: 1.5 }</style>"
            // A phone shows a part of the page, as after a pinch.
            case .zoomedByViewport: "<meta name=viewport content='width=device-width, initial-scale=2'>"
            // A phone makes the page as wide as that of a desktop browser, and shows it smaller.
            case .withoutViewport: ""
            }
        }
    }

    /// A page that puts twenty targets, each in a colour of its own, over what the window shows.
    private static func page(_ look: Look) -> String {
        """
        <!doctype html>\(look.head)<title>Targets</title>
        <style>body { margin: 0; width: 2000px; height: 4000px }</style>
        <script>
        window.tapped = []
        addEventListener("click", (event) => tapped.push(event.target.id || event.target.localName))
        const colour = (index) => [40 + 10 * index, 240 - 10 * index, 128]
        function layOut() {
          const { pageLeft, pageTop, width, height, scale } = visualViewport
          for (let index = 0; index < 20; index++) {
            const target = document.createElement("b")
            target.id = `t${index}`
            const x = 0.05 + 0.24 * (index % 4), y = 0.05 + 0.19 * (index >> 2)
            // Percents do not depend on the zoom of the style. They are parts of the page that is zoomed.
            const place = scale > 1
              ? `position: absolute; left: ${pageLeft + x * width}px; top: ${pageTop + y * height}px`
              : `position: fixed; left: ${x * 100}%; top: ${y * 100}%`
            const size = scale > 1 ? `width: ${width / 20}px; height: ${height / 20}px` : "width: 5%; height: 5%"
            target.style = `${place}; ${size}; background: rgb(${colour(index)})`
            document.body.append(target)
          }
        }
        /** Where the middle of each target is in a picture of the page, as parts of its width and height. */
        async function find(picture) {
          const image = new Image()
          image.src = `data:image/png;base64,${picture}`
          await image.decode()
          const canvas = new OffscreenCanvas(image.width, image.height)
          const context = canvas.getContext("2d")
          context.drawImage(image, 0, 0)
          const { data } = context.getImageData(0, 0, image.width, image.height)
          const sums = Array.from({ length: 20 }, () => [0, 0, 0])
          for (let at = 0; at < data.length; at += 4) {
            const index = Math.round((data[at] - 40) / 10)
            if (!(index >= 0 && index < 20)) continue
            const wanted = colour(index)
            if (wanted.some((value, part) => Math.abs(value - data[at + part]) > 3)) continue
            const sum = sums[index], place = at / 4
            sum[0] += place % image.width + 0.5
            sum[1] += Math.floor(place / image.width) + 0.5
            sum[2]++
          }
          return sums.map(([x, y, count]) => [x / count / image.width, y / count / image.height])
        }
        </script>
        """
    }

    @Test(arguments: BrowserEngine.allCases.tried, [nil, "iPhone SE", "Pixel 9", "iPhone 16"])
    func tapLandsWhereThePictureShowsIt(_ engine: BrowserEngine, on device: String?) async throws {
        let pages = Look.allCases.flatMap { look in
            [false, true].map { ("/\(look)?\($0)", DrivenSite.Page(html: Self.page(look))) }
        }
        try await withDrivenWindow(
            engine, Dictionary(uniqueKeysWithValues: pages).merging(["/": .init(html: "")]) { $1 },
            device: device.flatMap(Device.init(named:))
        ) { window in
            var last = try await window.page()
            for look in Look.allCases {
                for scrolls in [false, true] {
                    last.navigate(to: "\(window.site.url)/\(look)?\(scrolls)")
                    last = try await window.page("/\(look)?\(scrolls)", besides: last)
                    try await check(last, "\(look)\(scrolls ? " scrolled" : "")", scrolls)
                }
            }
        }
    }

    /// Where the targets are in a picture, as parts of its width and height. One that is not in it has an empty place.
    private func places(in page: Page, _ command: DriverCommand) async throws -> [[Double]] {
        let result = try await withCheckedThrowingContinuation { continuation in
            page.command(command) { continuation.resume(with: $0) }
        }
        let picture = JSONValue.string(result["data"]?.string ?? result.string ?? "").text
        return try await page.call("return find(\(picture))").json.elements.map { $0.elements.compactMap(\.number) }
    }

    /// The left upper quarter of the window has a quarter of the picture, wherever the page is scrolled and zoomed to.
    @Test(arguments: [BrowserEngine.chromium, .webkit].tried, Look.allCases)
    func pictureOfAPart_showsThatPart(_ engine: BrowserEngine, _ look: Look) async throws {
        let pages = ["/": DrivenSite.Page(html: Self.page(look))]
        try await withDrivenWindow(engine, pages, device: Device(named: "iPhone SE")) { window in
            let page = try await window.page()
            let size = try await page.call(
                """
                if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done))
                scrollTo(130, 700)
                const frame = () => new Promise(requestAnimationFrame)
                await frame(); await frame()
                layOut()
                await frame(); await frame()
                return [visualViewport.width * visualViewport.scale, visualViewport.height * visualViewport.scale]
                """
            ).json.elements.compactMap(\.number)
            try #require(size.count == 2)
            let whole = try await places(in: page, .snapshot())
            let part = try await places(in: page, .snapshot(rect: [0, 0, size[0] / 2, size[1] / 2], width: 300))
            // The first target, and the second of the second row.
            for index in [0, 5] {
                try #require(whole[index].count == 2 && part[index].count == 2, "\(whole) \(part)")
                #expect(abs(part[index][0] - 2 * whole[index][0]) < 0.03, "\(whole[index]) \(part[index])")
                #expect(abs(part[index][1] - 2 * whole[index][1]) < 0.03, "\(whole[index]) \(part[index])")
            }
            #expect(part[19].isEmpty)
        }
    }

    private func check(_ page: Page, _ name: String, _ scrolls: Bool) async throws {
        let frames = "const frame = () => new Promise(requestAnimationFrame)"
        _ = try await page.call(
            """
            \(frames)
            if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done))
            if (\(scrolls)) scrollTo(130, 700)
            await frame(); await frame()
            layOut()
            await frame(); await frame()
            """)
        let places = try await places(in: page, .snapshot())
        try #require(places.count == 20 && places.allSatisfy { $0.count == 2 }, "\(name): \(places)")
        // A picture with another scale shows the same.
        for (place, other) in zip(places, try await self.places(in: page, .snapshot(scale: 1))) {
            #expect(zip(place, other).allSatisfy { abs($0 - $1) < 0.01 }, "\(name): \(place), \(other)")
        }
        // The corners, and one between them.
        for (count, index) in [0, 3, 9, 16, 19].enumerated() {
            try await page.input(["type": "tap", "x": .number(places[index][0]), "y": .number(places[index][1])])
            let tapped = try await page.call(
                """
                const end = performance.now() + 5000
                const moment = () => new Promise((next) => setTimeout(next, 5))
                while (tapped.length <= \(count) && performance.now() < end) await moment()
                return tapped[\(count)] ?? "nothing"
                """
            ).string
            #expect(tapped == "t\(index)", "\(name)")
        }
    }
}
