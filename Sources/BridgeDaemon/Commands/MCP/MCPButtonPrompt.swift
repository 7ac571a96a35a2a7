import BridgeProtocol

/// The prompt "Why does my button not appear?".
enum MCPButtonPrompt {
    private static let name = "why-does-my-button-not-appear"

    static let description: JSONValue = [
        "name": .string(name), "title": "Why does my button not appear?",
        "description": "Finds out why a native button of a page is not on the screen.",
        "arguments": [
            ["name": "button", "description": "The button, such as its title or its component.", "required": false],
            ["name": "url", "description": "The page that shows it.", "required": false],
        ],
    ]

    static func get(_ params: JSON?) throws(RPCError) -> JSONValue {
        guard params?["name"]?.string == name else {
            throw .invalidParams(at: "/name", "there is no such prompt; prompts/list lists them")
        }
        let arguments = params?["arguments"]
        let text = text(button: arguments?["button"]?.string, url: arguments?["url"]?.string)
        return ["messages": [["role": "user", "content": ["type": "text", "text": .string(text)]]]]
    }

    private static func text(button: String?, url: String?) -> String {
        """
        A native button\(button.map { " (\($0))" } ?? "") of my hybrid app does not appear\(url.map { " on \($0)" } ?? ""). \
        Find out why with the tools of bridged, and stop at the first cause that explains it:

        1. pages_list: is a page attached? If no daemon runs, call daemon_start with the page's url. If no page is attached, \
        doctor says why.
        2. doctor: take its errors first, then its warnings. They name a script that comes late, a policy that forbids it, a \
        user agent without the components, a component that the app does not have, and Turbo that is missing.
        3. app_state: is the page on the visible screen? Look for the button in barButtons and in components of that screen. \
        If it is there, the app has it, and the mistake is in its looks.
        4. traffic_query with the filter "kind:message": has the page posted the message for the button? If not, its script \
        did not run: traffic_query with "kind:console,problem" shows what it printed and threw, and script_evaluate what the \
        page has, such as document.querySelectorAll("[data-controller]").length.
        5. If it has, read that record's verdict: its reason and hint say why the message was dropped.
        6. visits_explain: was the page visited again afterwards, which removes its buttons?

        Then say the cause, the record or line that shows it, and the change that makes the button appear. After the change, \
        load the page again with page_navigate, and look at app_state.
        """
    }
}
