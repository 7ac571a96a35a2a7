public import HeadlessViews

/// A search bar in the navigation bar, and the calls of its delegates.
@preconcurrency @MainActor open class UISearchController: UIViewController {
    public private(set) lazy var searchBar = UISearchBar()
    open weak var searchResultsUpdater: (any UISearchResultsUpdating)?
    open weak var delegate: (any UISearchControllerDelegate)?
    public let searchResultsController: UIViewController?
    open var obscuresBackgroundDuringPresentation = true
    open var hidesNavigationBarDuringPresentation = true
    open var automaticallyShowsCancelButton = true
    open var isActive = false {
        didSet {
            guard isActive != oldValue else { return }
            if isActive {
                delegate?.didPresentSearchController(self)
            } else {
                delegate?.didDismissSearchController(self)
            }
            searchResultsUpdater?.updateSearchResults(for: self)
        }
    }

    public init(searchResultsController: UIViewController?) {
        self.searchResultsController = searchResultsController
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) {
        searchResultsController = nil
        super.init(coder: coder)
    }

    /// Acts as if the user had typed a text into the search bar. (Not in UIKit.)
    public func type(_ text: String) {
        isActive = true
        searchBar.text = text
        searchBar.delegate?.searchBar(searchBar, textDidChange: text)
        searchResultsUpdater?.updateSearchResults(for: self)
    }

    /// Acts as if the user had tapped Search on the keyboard. (Not in UIKit.)
    public func tapSearch() { searchBar.delegate?.searchBarSearchButtonClicked(searchBar) }

    /// Acts as if the user had tapped Cancel. (Not in UIKit.)
    public func tapCancel() {
        searchBar.text = ""
        searchBar.delegate?.searchBarCancelButtonClicked(searchBar)
        isActive = false
    }
}

@preconcurrency @MainActor open class UISearchBar: UIView {
    open var text: String?
    open var placeholder: String?
    open var prompt: String?
    open var showsCancelButton = false
    open weak var delegate: (any UISearchBarDelegate)?
    public private(set) lazy var searchTextField = UITextField()
}

@preconcurrency @MainActor public protocol UISearchResultsUpdating: NSObjectProtocol {
    func updateSearchResults(for searchController: UISearchController)
}

@preconcurrency @MainActor public protocol UISearchControllerDelegate: NSObjectProtocol {
    func didPresentSearchController(_ searchController: UISearchController)
    func didDismissSearchController(_ searchController: UISearchController)
}

extension UISearchControllerDelegate {
    public func didPresentSearchController(_ searchController: UISearchController) {}
    public func didDismissSearchController(_ searchController: UISearchController) {}
}

@preconcurrency @MainActor public protocol UISearchBarDelegate: NSObjectProtocol {
    func searchBar(_ searchBar: UISearchBar, textDidChange searchText: String)
    func searchBarSearchButtonClicked(_ searchBar: UISearchBar)
    func searchBarCancelButtonClicked(_ searchBar: UISearchBar)
}

extension UISearchBarDelegate {
    public func searchBar(_ searchBar: UISearchBar, textDidChange searchText: String) {}
    public func searchBarSearchButtonClicked(_ searchBar: UISearchBar) {}
    public func searchBarCancelButtonClicked(_ searchBar: UISearchBar) {}
}
