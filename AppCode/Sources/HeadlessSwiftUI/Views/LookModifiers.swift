public import Foundation
public import HeadlessUIKit

/// Modifiers of looks and of layout. Nothing is laid out or drawn, so that they return the view as it is.
extension View {
    public func font(_ font: Font?) -> some View { self }
    public func fontWeight(_ weight: Font.Weight?) -> some View { self }
    public func fontDesign(_ design: Font.Design?) -> some View { self }
    public func bold(_ isActive: Bool = true) -> some View { self }
    public func italic(_ isActive: Bool = true) -> some View { self }
    public func underline(_ isActive: Bool = true, color: Color? = nil) -> some View { self }
    public func monospacedDigit() -> some View { self }
    public func textCase(_ textCase: Text.Case?) -> some View { self }
    public func foregroundColor(_ color: Color?) -> some View { self }
    public func foregroundStyle(_ style: some ShapeStyle) -> some View { self }
    public func foregroundStyle(_ primary: some ShapeStyle, _ secondary: some ShapeStyle) -> some View { self }
    public func tint(_ color: Color?) -> some View { self }
    public func tint(_ style: some ShapeStyle) -> some View { self }
    public func accentColor(_ color: Color?) -> some View { self }
    public func background(_ style: some ShapeStyle, ignoresSafeAreaEdges edges: Edge.Set = .all) -> some View { self }
    public func background(_ style: some ShapeStyle, in shape: some Shape) -> some View { self }
    public func border(_ style: some ShapeStyle, width: CGFloat = 1) -> some View { self }
    public func shadow(color: Color = .black, radius: CGFloat, x: CGFloat = 0, y: CGFloat = 0) -> some View { self }
    public func blur(radius: CGFloat, opaque: Bool = false) -> some View { self }
    public func blendMode(_ mode: BlendMode) -> some View { self }
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
    public func lineLimit(_ number: Int?) -> some View { self }
    public func lineSpacing(_ spacing: CGFloat) -> some View { self }
    public func truncationMode(_ mode: Text.TruncationMode) -> some View { self }
    public func minimumScaleFactor(_ factor: CGFloat) -> some View { self }
    public func padding(_ length: CGFloat) -> some View { self }
    public func padding(_ insets: EdgeInsets) -> some View { self }
    public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    public func safeAreaPadding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { self }
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View {
        self
    }
    public func containerRelativeFrame(_ axes: Axis.Set) -> some View { self }
    public func fixedSize() -> some View { self }
    public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { self }
    public func layoutPriority(_ value: Double) -> some View { self }
    public func offset(x: CGFloat = 0, y: CGFloat = 0) -> some View { self }
    public func offset(_ offset: CGSize) -> some View { self }
    public func position(x: CGFloat = 0, y: CGFloat = 0) -> some View { self }
    public func zIndex(_ value: Double) -> some View { self }
    public func aspectRatio(_ ratio: CGFloat? = nil, contentMode: ContentMode) -> some View { self }
    public func scaledToFit() -> some View { self }
    public func scaledToFill() -> some View { self }
    public func scaleEffect(_ scale: CGFloat, anchor: UnitPoint = .center) -> some View { self }
    public func scaleEffect(x: CGFloat = 1, y: CGFloat = 1, anchor: UnitPoint = .center) -> some View { self }
    public func rotationEffect(_ angle: Angle, anchor: UnitPoint = .center) -> some View { self }
    public func cornerRadius(_ radius: CGFloat) -> some View { self }
    public func clipShape(_ shape: some Shape) -> some View { self }
    public func contentShape(_ shape: some Shape) -> some View { self }
    public func mask<Mask: View>(@ViewBuilder _ mask: () -> Mask) -> some View { self }
    public func clipped() -> some View { self }
    public func opacity(_ opacity: Double) -> some View { self }
    public func ignoresSafeArea(_ regions: SafeAreaRegions = .all, edges: Edge.Set = .all) -> some View { self }
    public func edgesIgnoringSafeArea(_ edges: Edge.Set) -> some View { self }
    public func imageScale(_ scale: Image.Scale) -> some View { self }
    public func symbolRenderingMode(_ mode: SymbolRenderingMode?) -> some View { self }
    public func redacted(reason: RedactionReasons) -> some View { self }
    public func preferredColorScheme(_ scheme: ColorScheme?) -> some View { self }
    public func colorScheme(_ scheme: ColorScheme) -> some View { self }
    public func animation(_ animation: Animation?) -> some View { self }
    public func animation(_ animation: Animation?, value: some Equatable) -> some View { self }
    public func transition(_ transition: AnyTransition) -> some View { self }
    public func allowsHitTesting(_ isEnabled: Bool) -> some View { self }
    public func statusBarHidden(_ hidden: Bool = true) -> some View { self }
    public func statusBar(hidden: Bool) -> some View { self }
    public func persistentSystemOverlays(_ visibility: Visibility) -> some View { self }
    public func drawingGroup() -> some View { self }
    public func compositingGroup() -> some View { self }

    public func buttonStyle(_ style: ControlStyle) -> some View { self }
    public func listStyle(_ style: ControlStyle) -> some View { self }
    public func pickerStyle(_ style: ControlStyle) -> some View { self }
    public func toggleStyle(_ style: ControlStyle) -> some View { self }
    public func textFieldStyle(_ style: ControlStyle) -> some View { self }
    public func progressViewStyle(_ style: ControlStyle) -> some View { self }
    public func tabViewStyle(_ style: ControlStyle) -> some View { self }
    public func navigationViewStyle(_ style: ControlStyle) -> some View { self }
    public func labelStyle(_ style: ControlStyle) -> some View { self }
    public func indexViewStyle(_ style: ControlStyle) -> some View { self }
    public func controlSize(_ size: ControlStyle) -> some View { self }
    public func buttonBorderShape(_ shape: ControlStyle) -> some View { self }
    public func listRowBackground(_ view: (some View)?) -> some View { self }
    public func listRowInsets(_ insets: EdgeInsets?) -> some View { self }
    public func listRowSeparator(_ visibility: Visibility) -> some View { self }
    public func scrollContentBackground(_ visibility: Visibility) -> some View { self }
    public func scrollIndicators(_ visibility: Visibility) -> some View { self }
    public func scrollDisabled(_ disabled: Bool) -> some View { self }
    public func keyboardType(_ type: UIKeyboardType) -> some View { self }
    public func textContentType(_ type: UITextContentType?) -> some View { self }
    public func autocapitalization(_ style: UITextAutocapitalizationType) -> some View { self }
    public func textInputAutocapitalization(_ style: TextInputAutocapitalization?) -> some View { self }
    public func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
    public func disableAutocorrection(_ disable: Bool?) -> some View { self }
    public func submitLabel(_ label: SubmitLabel) -> some View { self }
    public func focused<Value: Hashable>(_ binding: FocusState<Value>.Binding, equals value: Value) -> some View {
        self
    }
    public func focused(_ binding: FocusState<Bool>.Binding) -> some View { self }
    public func navigationBarTitleDisplayMode(_ mode: NavigationBarItem.TitleDisplayMode) -> some View { self }
    public func toolbarBackground(_ style: some ShapeStyle, for bars: ToolbarPlacement...) -> some View { self }
    public func toolbarBackground(_ visibility: Visibility, for bars: ToolbarPlacement...) -> some View { self }
    public func toolbarColorScheme(_ scheme: ColorScheme?, for bars: ToolbarPlacement...) -> some View { self }
    public func presentationDetents(_ detents: Set<PresentationDetent>) -> some View { self }
    public func presentationDragIndicator(_ visibility: Visibility) -> some View { self }
    public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View { self }
    public func matchedGeometryEffect<ID: Hashable>(id: ID, in namespace: Namespace.ID) -> some View { self }
    public func help(_ text: String) -> some View { self }
    public func accessibilityHidden(_ hidden: Bool) -> some View { self }
    public func accessibilityHint(_ hint: String) -> some View { self }
    public func accessibilityElement(children: ControlStyle = .automatic) -> some View { self }
    public func mapStyle(_ style: MapStyle) -> some View { self }
}

/// A style of a control, a list or a navigation view. None is drawn.
public struct ControlStyle: Sendable {
    public static let automatic = ControlStyle()
    public static let plain = ControlStyle()
    public static let bordered = ControlStyle()
    public static let borderedProminent = ControlStyle()
    public static let borderless = ControlStyle()
    public static let grouped = ControlStyle()
    public static let insetGrouped = ControlStyle()
    public static let inset = ControlStyle()
    public static let sidebar = ControlStyle()
    public static let segmented = ControlStyle()
    public static let menu = ControlStyle()
    public static let wheel = ControlStyle()
    public static let inline = ControlStyle()
    public static let navigationLink = ControlStyle()
    public static let `switch` = ControlStyle()
    public static let button = ControlStyle()
    public static let roundedBorder = ControlStyle()
    public static let linear = ControlStyle()
    public static let circular = ControlStyle()
    public static let stack = ControlStyle()
    public static let page = ControlStyle()
    public static let sidebarAdaptable = ControlStyle()
    public static let tabBarOnly = ControlStyle()
    public static let columns = ControlStyle()
    public static let iconOnly = ControlStyle()
    public static let titleOnly = ControlStyle()
    public static let titleAndIcon = ControlStyle()
    public static let small = ControlStyle()
    public static let mini = ControlStyle()
    public static let regular = ControlStyle()
    public static let large = ControlStyle()
    public static let capsule = ControlStyle()
    public static let ignore = ControlStyle()
    public static let combine = ControlStyle()
    public static let contain = ControlStyle()
    public static func page(indexDisplayMode: Visibility) -> ControlStyle { ControlStyle() }
}

public func PlainButtonStyle() -> ControlStyle { .plain }
public func BorderlessButtonStyle() -> ControlStyle { .plain }
public func DefaultButtonStyle() -> ControlStyle { .plain }
public func PlainListStyle() -> ControlStyle { .plain }
public func GroupedListStyle() -> ControlStyle { .grouped }
public func InsetGroupedListStyle() -> ControlStyle { .grouped }
public func SidebarListStyle() -> ControlStyle { .sidebar }
public func SegmentedPickerStyle() -> ControlStyle { .segmented }
public func RoundedBorderTextFieldStyle() -> ControlStyle { .roundedBorder }
public func LinearProgressViewStyle(tint: Color? = nil) -> ControlStyle { .linear }
public func CircularProgressViewStyle(tint: Color? = nil) -> ControlStyle { .circular }
public func StackNavigationViewStyle() -> ControlStyle { .stack }
public func DefaultNavigationViewStyle() -> ControlStyle { .automatic }
public func PageTabViewStyle(indexDisplayMode: Visibility = .automatic) -> ControlStyle { .page }
public func SwitchToggleStyle(tint: Color? = nil) -> ControlStyle { .switch }

public struct SafeAreaRegions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let container = SafeAreaRegions(rawValue: 1)
    public static let keyboard = SafeAreaRegions(rawValue: 2)
    public static let all: SafeAreaRegions = [.container, .keyboard]
}

public struct RedactionReasons: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let placeholder = RedactionReasons(rawValue: 1)
    public static let privacy = RedactionReasons(rawValue: 2)
}

public enum SymbolRenderingMode: Sendable { case monochrome, hierarchical, palette, multicolor }
public enum TextInputAutocapitalization: Sendable { case never, words, sentences, characters }
public enum SubmitLabel: Sendable { case done, go, send, join, route, search, `return`, next, `continue` }
public enum ToolbarPlacement: Sendable { case automatic, navigationBar, tabBar, bottomBar }
public enum NavigationBarItem { public enum TitleDisplayMode: Sendable { case automatic, inline, large } }
public struct PresentationDetent: Hashable, Sendable {
    public static let medium = PresentationDetent()
    public static let large = PresentationDetent()
    public static func height(_ height: CGFloat) -> PresentationDetent { PresentationDetent() }
    public static func fraction(_ fraction: CGFloat) -> PresentationDetent { PresentationDetent() }
}
