import BridgeProtocol

/// Finds the route that answers an HTTP request. On the main actor.
@MainActor final class Router {
    typealias Route = @MainActor (HTTPRequest, HTTPResponder) -> Void

    private var routes: [String: [HTTPRequest.Method: Route]] = [:]

    /// Adds a route. A route for GET answers HEAD as well; the transport leaves out the body.
    func on(_ method: HTTPRequest.Method, _ path: String, _ route: @escaping Route) {
        routes[path, default: [:]][method] = route
    }

    /// Adds a route that answers immediately.
    func on(_ method: HTTPRequest.Method, _ path: String, respond: @escaping @MainActor (HTTPRequest) -> HTTPResponse) {
        on(method, path) { request, responder in responder.respond(respond(request)) }
    }

    func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
        guard let methods = routes[request.path] else {
            let paths = routes.keys.sorted().joined(separator: ", ")
            return responder.respond(
                .text("The path \(request.path.forText) does not exist. The paths are: \(paths)", status: .notFound))
        }
        guard let route = methods[request.method == .head ? .get : request.method] else {
            let allowed = methods.keys.map(\.rawValue).sorted().joined(separator: ", ")
            var response = HTTPResponse.text("\(request.path) accepts only \(allowed).", status: .methodNotAllowed)
            response.fields = [("Allow", allowed)]
            return responder.respond(response)
        }
        route(request, responder)
    }
}
