import BridgeProtocol
import Testing

@testable import BridgeDaemon

@Suite struct AppStateTextTests {
    @Test func showsTheComponentsOfTheVisibleScreen() throws {
        let state = try JSON.parse(
            """
            {"title":"Posts","visible":"main","modal":[],"main":[
              {"url":"http://h/","components":{"form":{"title":"Save"}}},
              {"url":"http://h/posts","components":{"overflow-menu":{"items":["Edit","Delete"],"isOpen":true},"form":null}}
            ]}
            """)
        #expect(
            AppStateText(state).lines == [
                "main: / › /posts",
                "  title         Posts",
                #"  overflow-menu {"items":["Edit","Delete"],"isOpen":true}"#,
            ])
    }
}
