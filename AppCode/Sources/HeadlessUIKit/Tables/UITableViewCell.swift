public import HeadlessViews

@preconcurrency @MainActor open class UITableViewCell: UIView {
    public enum CellStyle: Int, Sendable { case `default`, value1, value2, subtitle }
    public enum SelectionStyle: Int, Sendable { case none, blue, gray, `default` }
    public enum AccessoryType: Int, Sendable {
        case none, disclosureIndicator, detailDisclosureButton, checkmark, detailButton
    }

    public internal(set) var reuseIdentifier: String?
    /// Performs the segue of the row.
    var selectionSegue: ((UITableViewCell) -> Void)?
    /// The table that shows the cell, and where.
    weak var table: UITableView?
    var indexPath: IndexPath?
    public private(set) lazy var contentView: UIView = {
        let view = UIView()
        addSubview(view)
        return view
    }()
    open private(set) lazy var textLabel: UILabel? = UILabel()
    open private(set) lazy var detailTextLabel: UILabel? = UILabel()
    open private(set) lazy var imageView: UIImageView? = UIImageView()
    open var accessoryType = AccessoryType.none
    open var accessoryView: UIView?
    open var selectionStyle = SelectionStyle.default
    open var contentConfiguration: (any UIContentConfiguration)?
    open var isSelected = false

    public required init(style: CellStyle = .default, reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: .zero)
    }

    public required init?(coder: NSCoder) {
        reuseIdentifier = nil
        super.init(coder: coder)
    }

    open func prepareForReuse() {}
    open func setSelected(_ selected: Bool, animated: Bool) { isSelected = selected }

    open func defaultContentConfiguration() -> UIListContentConfiguration { UIListContentConfiguration() }

    /// The texts that a user reads in the row. (Not in UIKit.)
    public var shownTexts: [String] {
        let list = contentConfiguration as? UIListContentConfiguration
        return [list?.text ?? textLabel?.text, list?.secondaryText ?? detailTextLabel?.text].compactMap(\.self)
            + texts(in: contentView)
    }

    private func texts(in view: UIView) -> [String] {
        ((view as? UILabel)?.text.map { [$0] } ?? []) + view.subviews.flatMap(texts)
    }
}

public protocol UIContentConfiguration {}

/// The content of a row in a list.
public struct UIListContentConfiguration: UIContentConfiguration, Sendable {
    public struct TextProperties: Sendable {
        public var color = UIColor.label
        public var font = UIFont.systemFont(ofSize: 17)
        public var numberOfLines = 0
    }

    public struct ImageProperties: Sendable { public var tintColor: UIColor? }

    public var text: String?
    public var secondaryText: String?
    public var image: UIImage?
    public var textProperties = TextProperties()
    public var secondaryTextProperties = TextProperties()
    public var imageProperties = ImageProperties()

    public init() {}

    public static func cell() -> UIListContentConfiguration { UIListContentConfiguration() }
    public static func subtitleCell() -> UIListContentConfiguration { UIListContentConfiguration() }
    public static func valueCell() -> UIListContentConfiguration { UIListContentConfiguration() }
}

/// A controller whose view is a table.
@preconcurrency @MainActor
open class UITableViewController: UIViewController, UITableViewDataSource,
    UITableViewDelegate
{
    private var style = UITableView.Style.plain
    open var clearsSelectionOnViewWillAppear = true
    open var refreshControl: UIRefreshControl? { didSet { tableView.refreshControl = refreshControl } }

    private var table: UITableView?

    /// The table, which is a storyboard's or nib's, or else made here.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because UIKit declares it so.
    open var tableView: UITableView! {
        get {
            if table == nil, scene?.hasView ?? false { loadViewIfNeeded() }
            if let table { return table }
            let made = UITableView(frame: .zero, style: style)
            made.dataSource = self
            made.delegate = self
            table = made
            return made
        }
        set { table = newValue }
    }

    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    public init(style: UITableView.Style) {
        self.style = style
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open override func loadView() {
        guard scene?.hasView ?? false || nibName != nil else { return view = tableView }
        super.loadView()
        table = viewIfLoaded as? UITableView
    }

    open override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        if clearsSelectionOnViewWillAppear, let selected = tableView.indexPathForSelectedRow {
            tableView.deselectRow(at: selected, animated: animated)
        }
    }

    open func numberOfSections(in tableView: UITableView) -> Int { tableView.staticSections?.count ?? 1 }
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        tableView.staticSection(section)?.cells.count ?? 0
    }
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cells = tableView.staticSection(indexPath.section)?.cells ?? []
        return cells.indices.contains(indexPath.row)
            ? cells[indexPath.row] : UITableViewCell(style: .default, reuseIdentifier: nil)
    }
    open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
        tableView.staticSection(section)?.header
    }
    open func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? {
        tableView.staticSection(section)?.footer
    }
    open func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath? { indexPath }
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    open func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat {
        UITableView.automaticDimension
    }
}
