@_exported public import BridgeWebKit

/// Apple's module name, for code that is written for iOS: `import WebKit` gives what `BridgeWebKit` stands in with.
