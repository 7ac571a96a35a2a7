// Apple's WebKit exports Foundation too, so that `import WebKit` alone gives URL and URLRequest.
@_exported public import Foundation

#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
