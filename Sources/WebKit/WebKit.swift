/// Apple's module name, for code that is written for iOS: `import WebKit` gives what `BridgeWebKit` stands in with.
@_exported public import BridgeWebKit
