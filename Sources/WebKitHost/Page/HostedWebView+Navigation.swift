import BridgeProtocol
import CWebKitGTK

extension HostedWebView {
    func navigate(_ navigation: PageNavigation) {
        switch navigation {
        case .url(let url): load(url)
        case .reload: webkit_web_view_reload(view.pointer)
        case .delta(let steps):
            let list = webkit_web_view_get_back_forward_list(view.pointer)
            guard let item = webkit_back_forward_list_get_nth_item(list, Int32(clamping: steps)) else { return }
            webkit_web_view_go_to_back_forward_list_item(view.pointer, item)
        }
    }

    func load(_ url: String) {
        passwordQuestions.begin(url)
        startLoad(url)
    }

    /// Loads a URL, as the load of native code that is under way already.
    func startLoad(_ url: String) {
        // WebKit runs a `javascript:` URL without a load.
        if url.hasPrefix("http") { expectLoad(of: url) } else { isProvisional = true }
        webkit_web_view_load_uri(view.pointer, url)
    }

    /// The HTTP status of the document; nil if it has none.
    var status: Int? {
        guard let resource = webkit_web_view_get_main_resource(view.pointer),
            let response = webkit_web_resource_get_response(resource)
        else { return nil }
        let status = webkit_uri_response_get_status_code(response)
        return status == 0 ? nil : Int(status)
    }
}
