@_exported public import BridgeWebKit

// Apple's module name, so that code for iOS compiles: `import WebKit` gives `BridgeWebKit`.
