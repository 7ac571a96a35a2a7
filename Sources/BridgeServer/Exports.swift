// `import BridgeServer` alone gives script messages, script values and traffic records.
@_exported public import BridgeProtocol
@_exported public import BridgeTraffic
