public import HeadlessViews

@preconcurrency @MainActor open class UITableViewCell: UIView {
    public enum CellStyle: Int, Sendable { case `default`, value1, value2, subtitle }
    public enum SelectionStyle: Int, Sendable { case none, blue, gray, `default` }
    public enum AccessoryType: Int, Sendable {
        case none, disclosureIndicator, detailDisclosureButton, checkmark, detailButton
    }

    public let reuseIdentifier: String?
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

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because UIKit declares it so.
    open lazy var tableView: UITableView! = {
        let table = UITableView(frame: .zero, style: style)
        table.dataSource = self
        table.delegate = self
        return table
    }()

    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    public init(style: UITableView.Style) {
        self.style = style
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open override func loadView() { view = tableView }

    open override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        if clearsSelectionOnViewWillAppear, let selected = tableView.indexPathForSelectedRow {
            tableView.deselectRow(at: selected, animated: animated)
        }
    }

    open func numberOfSections(in tableView: UITableView) -> Int { 1 }
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        UITableViewCell(style: .default, reuseIdentifier: nil)
    }
    open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    open func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? { nil }
    open func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath? { indexPath }
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    open func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat {
        UITableView.automaticDimension
    }
}
