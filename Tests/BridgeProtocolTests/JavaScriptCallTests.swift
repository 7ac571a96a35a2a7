import BridgeProcesses
import Foundation
import TestSupport
import Testing

@testable import BridgeProtocol

private struct Point: Encodable, JavaScriptConvertible {
    var x: Double
    var at: Date?
}

private func source(_ argument: (any JavaScriptConvertible)?) -> String { JavaScriptCall("f", argument).source }

@Suite struct JavaScriptCalls {
    @Test func printsCall() {
        #expect(JavaScriptCall("window.bridge.register", "a\"b").source == #"window.bridge.register("a\"b")"#)
        #expect(JavaScriptCall("f").source == "f()")
        #expect(JavaScriptCall("f", 1, nil, true).source == "f(1,null,true)")
    }

    @Test(arguments: [
        ("</script><!--", #"f("\u003c/script\u003e\u003c!--")"#), ("'&", #"f("\u0027\u0026")"#),
        ("\\\n\r\0\u{2028}\u{2029}", #"f("\\\n\r\u0000\u2028\u2029")"#),
    ])
    func escapesStrings_soTheyStayInTheirLiteral(text: String, expected: String) {
        #expect(source(text) == expected)
    }

    @Test func printsNumbers_withoutJSONForm() {
        #expect(source([Double.nan, .infinity, -.infinity, -0.0, 0.1]) == "f([NaN,Infinity,-Infinity,-0,0.1])")
        #expect(source(Float(0.5)) == "f(0.5)")
        #expect(source(UInt64.max) == "f(18446744073709551615)")
    }

    @Test func printsDates() {
        #expect(source(Date(timeIntervalSince1970: 1.5)) == "f(new Date(1500))")
        #expect(source(Date(timeIntervalSince1970: .nan)) == "f(new Date(NaN))")
    }

    @Test func printsObjects_withSortedKeys() {
        #expect(
            source(["b": [1, nil], "__proto__": [2], "<": []]) == #"f({"\u003c":[],["__proto__"]:[2],"b":[1,null]})"#)
    }

    @Test func printsEncodables() {
        #expect(source(Point(x: 1, at: Date(timeIntervalSince1970: 1))) == #"f({"at":new Date(1000),"x":1})"#)
        #expect(source(Point(x: .nan)).hasPrefix(#"f((()=>{throw new TypeError("Point could not be encoded: "#))
    }

    @Test func printsScriptValues_withTypes() throws {
        let value = try value(
            #"{"a":{"u":null},"b":"/a","c":"","s":[55296],"n":"-0"}"#,
            types: #"{"/a/u":"undefined","/b":"ref","/c":"ref","/s":"utf16","/n":"number"}"#)
        #expect(
            source(value) == #"f((v=>{v["b"]=v["a"];v["c"]=v;return v})("#
                + #"{"a":{"u":undefined},"b":null,"c":null,"s":"\ud800","n":-0}))"#)
    }

    @Test(.enabled(if: Node.path != nil)) func evaluatesToTheSameValue_inNode() throws {
        let text = "</script>'\"\\\n\r\0\u{2028}<!--😀${x}`"
        let call = JavaScriptCall("JSON.stringify", ["__proto__": text])
        #expect(try JSON.parse(Node.run("process.stdout.write(\(call.source))"))["__proto__"]?.string == text)
    }

    @Test(.enabled(if: Node.path != nil)) func printsNumbers_asNodeDoes() throws {
        var generator = SystemRandomNumberGenerator()
        let numbers = (0..<500).map { _ in Double(bitPattern: generator.next()) }.filter(\.isFinite)
        let call = JavaScriptCall("JSON.stringify", numbers)
        #expect(try Node.run("process.stdout.write(\(call.source))") == written { numbers.write(to: &$0) })
    }
}

private enum Node {
    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/node" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Runs a script and returns its standard output.
    static func run(_ script: String) throws -> String {
        let output = Pipe.withoutInheritance()
        let process = try ChildProcess(
            URL(fileURLWithPath: path ?? ""), ["-e", script], output: .pipe(output),
            errors: .standardError)
        let data = output.fileHandleForReading.readAll()
        process.waitForEnd()
        return String(decoding: data, as: UTF8.self)
    }
}

@Suite struct ScriptErrors {
    @Test func readsException_fromData() throws {
        let data: JSONValue = [
            "name": "TypeError", "message": "no", "line": 3, "column": 1e300, "sourceURL": "a.js",
        ]
        let error = ScriptError(RPCError(.javaScriptException, "m", data: data))
        #expect(error == .exception(.init(name: "TypeError", message: "no", line: 3, sourceURL: "a.js")))
        #expect(error.description == "TypeError: no (a.js:3)")
    }

    @Test(arguments: [nil, "3", "[]", #"{"timeoutMs":"x","page":3,"limit":{},"type":null}"#])
    func acceptsAnyErrorData(json: String?) throws {
        let data = try json.map { try JSONValue(JSON.parse($0)) }
        let errors = [1, 2, 4, 5, -32006, 99].map { ScriptError(RPCError(.init(rawValue: $0), "m", data: data)) }
        #expect(
            errors == [
                .timedOut(.zero), .pageGone(""), .exception(.init(message: "m")), .resultTypeUnsupported(""),
                .queueFull(0), .rejected(RPCError(.init(rawValue: 99), "m")),
            ])
    }

    @Test func roundTrips_throughRPCError() throws {
        let error = ScriptError.exception(.init(name: "Error", message: "m", line: 1, column: 2, stack: "s"))
        let json = try JSON.parse(written { error.rpcError.write(to: &$0) })
        #expect(ScriptError(RPCError(json: json)) == error)
        #expect(ScriptError.timedOut(.milliseconds(1500)).rpcError.data == ["timeoutMs": 1500])
    }
}
