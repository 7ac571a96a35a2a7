import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Pages of driven browsers that ask where the device is (`navigator.geolocation`).
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenLocationTests {
    private let pages = ["/": DrivenSite.Page(html: "<!doctype html><title>One</title>")]

    private static let ask = """
        const text = ({ coords }) => `${coords.latitude} ${coords.longitude} ${coords.accuracy}`
        return await new Promise((resolve) => navigator.geolocation.getCurrentPosition(
          (position) => resolve(`${position instanceof GeolocationPosition} ${text(position)}`),
          (error) => resolve(`${error instanceof GeolocationPositionError} ${error.code} ${error.message}`)
        ))
        """

    private static let watch = """
        return await new Promise((resolve) => {
          const watch = navigator.geolocation.watchPosition(({ coords }) => {
            navigator.geolocation.clearWatch(watch)
            resolve(`${typeof watch} ${coords.latitude}`)
          }, (error) => resolve(error.message))
        })
        """

    @Test(arguments: BrowserEngine.allCases.tried) func nativeCodeGivesThePlace(_ engine: BrowserEngine) async throws {
        try await withDrivenWindow(engine, pages) { server in
            server.defaultScope.dialogHandler = { dialog in
                #expect(dialog.kind == .geolocation)
                dialog.answer(.position(DevicePosition(latitude: -33.5, longitude: 151.25, accuracy: 5)))
            }
        } _: { window in
            let page = try await window.page()
            #expect(try await page.call(Self.ask).string == "true -33.5 151.25 5")
            #expect(try await page.call(Self.watch).string == "number -33.5")
        }
    }

    @Test(arguments: BrowserEngine.allCases.tried) func nativeCodeAllows_orDenies(_ engine: BrowserEngine) async throws
    {
        var answers: [DialogAnswer] = [.dismiss, .accept]
        try await withDrivenWindow(engine, pages) { server in
            server.defaultScope.dialogHandler = { dialog in
                dialog.answer(answers.isEmpty ? .dismiss : answers.removeFirst())
            }
        } _: { window in
            let page = try await window.page()
            #expect(try await page.call(Self.ask).string?.hasPrefix("true 1 User denied") == true)
            // WebKit keeps a refusal for the document.
            if engine != .webkit {
                #expect(try await page.call(Self.ask).string == "true 52.52 13.405 10")
            }
        }
    }

    @Test(arguments: BrowserEngine.allCases.tried) func pageIsDenied_withoutAnAnswer(_ engine: BrowserEngine)
        async throws
    {
        try await withDrivenWindow(engine, pages) { window in
            let page = try await window.page()
            #expect(try await page.call(Self.ask).string?.hasPrefix("true 1 User denied") == true)
            let record = try await window.recorder.first { $0.event.kind == .problem }
            #expect("\(record)".contains("window.geolocation"))
        }
    }

    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
    func wrongArgumentsThrow(_ engine: BrowserEngine) async throws {
        try await withDrivenWindow(engine, pages) { window in
            let page = try await window.page()
            let script = "try { navigator.geolocation.getCurrentPosition(1) } catch (error) { return error.name }"
            #expect(try await page.call(script).string == "TypeError")
        }
    }
}
