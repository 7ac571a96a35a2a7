public import HeadlessViews

/// A list of rows, which the data source gives. Cells are made when somebody looks at them.
@preconcurrency @MainActor open class UITableView: UIScrollView {
    public enum Style: Int, Sendable { case plain, grouped, insetGrouped }
    public enum RowAnimation: Int, Sendable { case fade, right, left, top, bottom, none, middle, automatic = 100 }
    public enum ScrollPosition: Int, Sendable { case none, top, middle, bottom }
    public enum SeparatorStyle: Int, Sendable { case none, singleLine }

    public static let automaticDimension: CGFloat = -1

    open weak var dataSource: (any UITableViewDataSource)?
    open private(set) var style = Style.plain
    open var rowHeight: CGFloat = UITableView.automaticDimension
    open var estimatedRowHeight: CGFloat = UITableView.automaticDimension
    open var separatorStyle = SeparatorStyle.singleLine
    open var tableHeaderView: UIView?
    open var tableFooterView: UIView?
    open var backgroundView: UIView?
    open var allowsSelection = true
    open var isEditing = false
    open private(set) var indexPathForSelectedRow: IndexPath?
    private var cellClasses: [String: UITableViewCell.Type] = [:]
    /// What makes a cell of a storyboard or of a nib.
    private var prototypes: [String: () -> UITableViewCell?] = [:]

    /// Rows that a storyboard has itself.
    struct StaticSection {
        let header: String?
        let footer: String?
        let cells: [UITableViewCell]
    }

    /// The rows of a storyboard, which `UITableViewController` shows as its own. They are nil if the data source has the rows.
    var staticSections: [StaticSection]?
    private var rowsDelegate: (any UITableViewDelegate)? { delegate as? any UITableViewDelegate }

    public convenience init(frame: CGRect, style: Style) {
        self.init(frame: frame)
        self.style = style
    }

    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {
        cellClasses[identifier] = cellClass as? UITableViewCell.Type
    }

    /// The cell is the first view of the nib.
    open func register(_ nib: UINib?, forCellReuseIdentifier identifier: String) {
        prototypes[identifier] = nib.map { nib in
            { nib.instantiate(withOwner: nil).lazy.compactMap { $0 as? UITableViewCell }.first }
        }
    }

    func staticSection(_ index: Int) -> StaticSection? {
        guard let staticSections, staticSections.indices.contains(index) else { return nil }
        return staticSections[index]
    }

    func setPrototype(_ identifier: String, _ make: @escaping () -> UITableViewCell?) { prototypes[identifier] = make }

    open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        dequeueReusableCell(withIdentifier: identifier)
            ?? UITableViewCell(style: .default, reuseIdentifier: identifier)
    }

    /// Returns nil for a cell that is neither registered nor a storyboard's, so that the app makes it itself.
    open func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? {
        if let type = cellClasses[identifier] { return type.init(style: .default, reuseIdentifier: identifier) }
        return prototypes[identifier]?()
    }

    open var numberOfSections: Int { dataSource?.numberOfSections(in: self) ?? 0 }

    open func numberOfRows(inSection section: Int) -> Int {
        guard (0..<numberOfSections).contains(section) else { return 0 }
        return dataSource?.tableView(self, numberOfRowsInSection: section) ?? 0
    }

    /// - Returns: nil if there is no such row.
    open func cellForRow(at indexPath: IndexPath) -> UITableViewCell? {
        guard contains(indexPath), let cell = dataSource?.tableView(self, cellForRowAt: indexPath) else { return nil }
        (cell.table, cell.indexPath) = (self, indexPath)
        return cell
    }

    /// - Returns: nil for a cell that this table has not shown.
    open func indexPath(for cell: UITableViewCell) -> IndexPath? { cell.table === self ? cell.indexPath : nil }

    private func contains(_ indexPath: IndexPath) -> Bool {
        indexPath.count == 2 && (0..<numberOfRows(inSection: indexPath.section)).contains(indexPath.row)
    }

    open func reloadData() { indexPathForSelectedRow = nil }
    open func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    open func reloadSections(_ sections: IndexSet, with animation: RowAnimation) {}
    open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    open func beginUpdates() {}
    open func endUpdates() {}
    open func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
        updates?()
        if let completion { Turns.next { completion(true) } }
    }
    open func scrollToRow(at indexPath: IndexPath, at scrollPosition: ScrollPosition, animated: Bool) {}
    open func setEditing(_ editing: Bool, animated: Bool) { isEditing = editing }

    /// Selects a row. The delegate is not called, as UIKit documents.
    open func selectRow(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
        indexPathForSelectedRow = indexPath
    }

    open func deselectRow(at indexPath: IndexPath, animated: Bool) {
        if indexPathForSelectedRow == indexPath { indexPathForSelectedRow = nil }
    }

    /// Acts as if the user had tapped a row. (Not in UIKit.)
    /// - Returns: false if there is no such row, or if it cannot be selected.
    @discardableResult
    public func tapRow(at indexPath: IndexPath) -> Bool {
        guard allowsSelection, contains(indexPath) else { return false }
        var selected: IndexPath? = indexPath
        if let rowsDelegate { selected = rowsDelegate.tableView(self, willSelectRowAt: indexPath) }
        guard let selected else { return false }
        indexPathForSelectedRow = selected
        // As on iOS, the segue of a row comes before the delegate's call. Only rows of storyboards have some.
        if staticSections != nil || !prototypes.isEmpty, let cell = cellForRow(at: selected) {
            cell.selectionSegue?(cell)
        }
        rowsDelegate?.tableView(self, didSelectRowAt: selected)
        return true
    }

    /// The cells of all rows, section by section. (Not in UIKit.)
    public var allCells: [(indexPath: IndexPath, cell: UITableViewCell)] {
        (0..<numberOfSections).flatMap { section in
            (0..<numberOfRows(inSection: section)).compactMap { row in
                let indexPath = IndexPath(row: row, section: section)
                return cellForRow(at: indexPath).map { (indexPath, $0) }
            }
        }
    }
}

@preconcurrency @MainActor public protocol UITableViewDataSource: AnyObject {
    func numberOfSections(in tableView: UITableView) -> Int
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
    func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
    func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String?
}

extension UITableViewDataSource {
    public func numberOfSections(in tableView: UITableView) -> Int { 1 }
    public func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    public func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? { nil }
}

@preconcurrency @MainActor public protocol UITableViewDelegate: UIScrollViewDelegate {
    func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath?
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat
}

extension UITableViewDelegate {
    public func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath? { indexPath }
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    public func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat {
        UITableView.automaticDimension
    }
}

extension IndexPath {
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    public var section: Int { self[0] }
    public var row: Int { self[1] }
    public var item: Int { self[1] }
}
