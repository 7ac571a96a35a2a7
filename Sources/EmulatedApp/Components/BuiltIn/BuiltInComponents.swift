extension BridgeComponent {
    /// The components of the emulated app, in the order of docs/components.md.
    public static let builtIn: [BridgeComponent.Type] = [
        AlertComponent.self, BarcodeScannerComponent.self, BiometricsLockComponent.self, ButtonComponent.self,
        DevToolsComponent.self, DocumentScannerComponent.self, FormComponent.self, HapticComponent.self,
        LocationComponent.self, MenuComponent.self, NFCComponent.self, NotificationTokenComponent.self,
        OverflowMenuComponent.self, PermissionsComponent.self, ReviewPromptComponent.self, SearchComponent.self,
        ShareComponent.self, ThemeComponent.self, ToastComponent.self,
    ]

    /// The app that the component's screen belongs to.
    var app: EmulatedApp? { (delegate?.destination as? WebScreen)?.app }
}
