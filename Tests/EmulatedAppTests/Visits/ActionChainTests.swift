import Foundation
import Testing

@testable import EmulatedApp

/// The detection of double visits.
@Suite struct ActionChainTests {
    private let url = URL(filePath: "/posts")

    @Test func reportsASecondRequestForOneAction_once_withItsChain() {
        var chain = ActionChain()
        chain.add("tap")
        #expect(chain.request(url, "request 1") == nil)
        chain.add("proposal")
        #expect(chain.request(url, "request 2") == ["tap", "request 1", "proposal", "request 2"])
        #expect(chain.request(url, "request 3") == nil)
    }

    @Test func anotherURL_orAnotherAction_isNoDoubleVisit() {
        var chain = ActionChain()
        chain.add("tap")
        #expect(chain.request(url, "request 1") == nil)
        #expect(chain.request(URL(filePath: "/other"), "request 2") == nil)
        chain.end()
        chain.add("tap")
        #expect(chain.request(url, "request 3") == nil)
        #expect(chain.links == ["tap", "request 3"])
    }
}
