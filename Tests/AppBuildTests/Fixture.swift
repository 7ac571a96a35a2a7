import BridgeProcesses
import Foundation

@testable import AppBuild

/// A folder with files for one test.
final class Fixture {
    let folder: URL

    init(_ files: [String: String]) throws {
        folder = try FileManager.default.makeTemporaryFolder("app").resolvingSymlinksInPath()
        for (path, text) in files { try write(text, to: path) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ text: String, to path: String) throws {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func path(_ path: String) -> String { folder.appendingPathComponent(path).path }

    func read(_ path: String = "", target: String? = nil, hasTests: Bool = false) throws -> AppSource {
        try AppSource.read(
            self.path(path), target: target, hasTests: hasTests, cache: folder.appendingPathComponent("cache"))
    }
}

/// An Xcode project as Xcode writes it, shortened to what bridged reads.
enum Project {
    /// - Parameter objects: lines of the dictionary of objects.
    static func text(_ objects: String) -> String {
        """
        // !$*UTF8*$!
        {
            archiveVersion = 1;
            classes = {};
            objectVersion = 77;
            objects = {
                P = {isa = PBXProject; mainGroup = G; buildConfigurationList = L; projectDirPath = ""; targets = (T);
                     packageReferences = (R, K);};
                L = {isa = XCConfigurationList; buildConfigurations = (C);};
                C = {isa = XCBuildConfiguration; name = Debug; buildSettings = {SWIFT_VERSION = 5.0;};};
        \(objects)
            };
            rootObject = P;
        }
        """
    }

    /// An app with groups, a file of another place, translations, and packages.
    static let withGroups = text(
        """
        T = {isa = PBXNativeTarget; name = "My App"; productType = "com.apple.product-type.application";
             buildConfigurationList = TL; buildPhases = (S, X); packageProductDependencies = (D1, D2);};
        TL = {isa = XCConfigurationList; buildConfigurations = (TR, TD);};
        TR = {isa = XCBuildConfiguration; name = Release; buildSettings = {};};
        TD = {isa = XCBuildConfiguration; name = Debug; baseConfigurationReference = XC; buildSettings = {
            INFOPLIST_FILE = "App/Info.plist"; GENERATE_INFOPLIST_FILE = YES; PRODUCT_NAME = "$(TARGET_NAME)";
            PRODUCT_BUNDLE_IDENTIFIER = "com.example.$(PRODUCT_NAME:rfc1034identifier)";
            INFOPLIST_KEY_CFBundleDisplayName = "Mine"; INFOPLIST_KEY_UIRequiresFullScreen = YES;
            SWIFT_ACTIVE_COMPILATION_CONDITIONS = "DEBUG $(inherited)";
            SWIFT_DEFAULT_ACTOR_ISOLATION = MainActor;};};
        XC = {isa = PBXFileReference; path = "Base.xcconfig"; sourceTree = SOURCE_ROOT;};
        S = {isa = PBXSourcesBuildPhase; files = (B1, B2, B3);};
        X = {isa = PBXResourcesBuildPhase; files = (B4, B5);};
        B1 = {isa = PBXBuildFile; fileRef = F1;};
        B2 = {isa = PBXBuildFile; fileRef = F2;};
        B3 = {isa = PBXBuildFile; fileRef = F3;};
        B4 = {isa = PBXBuildFile; fileRef = F4;};
        B5 = {isa = PBXBuildFile; fileRef = F5;};
        G = {isa = PBXGroup; children = (GA, F2, F6, XC); sourceTree = "<group>";};
        GA = {isa = PBXGroup; children = (F1, F3, F4, F5, G); path = App; sourceTree = "<group>";};
        F1 = {isa = PBXFileReference; path = AppDelegate.swift; sourceTree = "<group>";};
        F2 = {isa = PBXFileReference; name = Shared.swift; path = ../Shared/Shared.swift; sourceTree = SOURCE_ROOT;};
        F3 = {isa = PBXFileReference; path = Old.m; sourceTree = "<group>";};
        F4 = {isa = PBXFileReference; path = rules.json; sourceTree = "<group>";};
        F5 = {isa = PBXVariantGroup; children = (F7); name = Localizable.strings; sourceTree = "<group>";};
        F6 = {isa = PBXFileReference; lastKnownFileType = wrapper; name = kit; path = ../Kit; sourceTree = "<group>";};
        F7 = {isa = PBXFileReference; name = en; path = en.lproj/Localizable.strings; sourceTree = "<group>";};
        R = {isa = XCRemoteSwiftPackageReference; repositoryURL = "https://example.com/Team/Web-Kit.git";
             requirement = {kind = upToNextMajorVersion; minimumVersion = 1.2.0;};};
        K = {isa = XCLocalSwiftPackageReference; relativePath = ../Own;};
        D1 = {isa = XCSwiftPackageProductDependency; package = R; productName = WebParts;};
        D2 = {isa = XCSwiftPackageProductDependency; productName = Kit;};
        """)

    /// An app with a target of unit tests.
    static let withTests = text(
        """
        T = {isa = PBXNativeTarget; name = Sample; productType = "com.apple.product-type.application";
             buildConfigurationList = L; buildPhases = (); fileSystemSynchronizedGroups = (A);};
        U = {isa = PBXNativeTarget; name = SampleTests; productType = "com.apple.product-type.bundle.unit-test";
             buildConfigurationList = L; buildPhases = (); fileSystemSynchronizedGroups = (B); dependencies = (D);};
        D = {isa = PBXTargetDependency; target = T;};
        G = {isa = PBXGroup; children = (A, B); sourceTree = "<group>";};
        A = {isa = PBXFileSystemSynchronizedRootGroup; path = App; sourceTree = "<group>";};
        B = {isa = PBXFileSystemSynchronizedRootGroup; path = Tests; sourceTree = "<group>";};
        """
    ).replacing("targets = (T)", with: "targets = (T, U)")

    /// An app whose folder Xcode keeps in step with the disk.
    static let withFolder = text(
        """
        T = {isa = PBXNativeTarget; name = Sample; productType = "com.apple.product-type.application";
             buildConfigurationList = L; buildPhases = (); fileSystemSynchronizedGroups = (A);};
        G = {isa = PBXGroup; children = (A); sourceTree = "<group>";};
        A = {isa = PBXFileSystemSynchronizedRootGroup; path = App; sourceTree = "<group>"; exceptions = (E, O);};
        E = {isa = PBXFileSystemSynchronizedBuildFileExceptionSet; target = T; membershipExceptions = (Info.plist, "Only/Test.swift");};
        O = {isa = PBXFileSystemSynchronizedBuildFileExceptionSet; target = Z; membershipExceptions = (Main.swift);};
        """)
}
