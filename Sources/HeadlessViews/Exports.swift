// UIKit exports Foundation, so that `import UIKit` alone gives URL and URLRequest.
@_exported public import Foundation

#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
