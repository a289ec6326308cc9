// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// A library of swift-syntax. What is fetched for a program is decided by these conditions: a package that every mention
/// leaves to a trait is not fetched without the trait.
func swiftSyntax(_ library: String) -> Target.Dependency {
  .product(name: library, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

/// A library that one product needs, whose trait has its name.
func library(_ name: String, of package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: [name]))
}

/// A library that the products behind the trait HTTP need, and no other.
func http(_ library: String, of package: String) -> Target.Dependency {
  .product(name: library, package: package, condition: .when(traits: ["HTTP"]))
}

let package = Package(
  name: "quarry",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    // With the modules that `import Quarry` brings: a build after an update compiles a program again when a module that
    // it names has changed, and what Quarry re-exports leaves Quarry itself unchanged.
    .library(name: "Quarry", targets: ["Quarry", "QuarryCore", "QuarryQuery", "QuarryText", "QuarryBackend"]),
    .library(name: "QuarryCore", targets: ["QuarryCore"]),
    .library(name: "QuarryBackend", targets: ["QuarryBackend"]),
    .library(name: "QuarryQuery", targets: ["QuarryQuery"]),
    .library(name: "QuarryKeyValue", targets: ["QuarryKeyValue"]),
    .library(name: "QuarrySealed", targets: ["QuarrySealed"]),
    .library(name: "QuarrySQL", targets: ["QuarrySQL"]),
    .library(name: "QuarryDrafts", targets: ["QuarryDrafts"]),
    // Empty where SwiftUI does not exist.
    .library(name: "QuarrySwiftUI", targets: ["QuarrySwiftUI"]),
    .library(name: "QuarryEngines", targets: ["QuarryEngines"]),
    .library(name: "QuarryData", targets: ["QuarryData"]),
    .library(name: "QuarryDump", targets: ["QuarryDump"]),
    .library(name: "QuarryEncryption", targets: ["QuarryEncryption"]),
    .library(name: "QuarrySync", targets: ["QuarrySync"]),
    .library(name: "QuarryInspect", targets: ["QuarryInspect"]),
    // Empty without the trait HTTP.
    .library(name: "QuarryStudio", targets: ["QuarryStudio"]),
    .library(name: "QuarrySyncHTTP", targets: ["QuarrySyncHTTP"]),
    // Each is empty without the trait of its name: Logging, Metrics.
    .library(name: "QuarryLogging", targets: ["QuarryLogging"]),
    .library(name: "QuarryMetrics", targets: ["QuarryMetrics"]),
    .library(name: "QuarryConformance", targets: ["QuarryConformance"]),
    .library(name: "QuarryConformanceTesting", targets: ["QuarryConformanceTesting"]),
    .library(name: "QuarryConformanceCommand", targets: ["QuarryConformanceCommand"]),
    // Loaded into second processes of the kit before all else, and therefore a file beside the program.
    .library(name: "QuarryCrashLab", type: .dynamic, targets: ["QuarryCrashLab"]),
    .executable(name: "quarry", targets: ["QuarryCommand"]),
    .executable(name: "quarry-conformance", targets: ["EngineConformanceProgram"]),
  ],
  traits: [
    .default(enabledTraits: ["Macros"]),
    .trait(
      name: "Macros",
      description: "@Model and the other macros of Quarry. Without it swift-syntax is neither fetched nor compiled."),
    .trait(
      name: "PostgreSQL",
      description: "The engine on PostgreSQL, which is experimental. Without it nothing needs libpq."),
    .trait(
      name: "HTTP",
      description:
        "Studio, which shows a store in the browser, and sync over HTTP. Without it no package of a server is fetched."
    ),
    .trait(
      name: "Logging", description: "Events of stores in swift-log. Without it swift-log is not fetched for them."),
    .trait(name: "Metrics", description: "Events of stores in swift-metrics. Without it swift-metrics is not fetched."),
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.9.0"),
  ],
  targets: [
    // The interface: what every engine speaks.
    .target(name: "QuarryBackend"),
    // Queries by names, their texts, and how they are bound to a schema: what engines do not know.
    .target(name: "QuarryQuery", dependencies: ["QuarryBackend", "QuarryText"]),
    // Words of texts, queries over them, and lists of where words stand.
    .target(name: "QuarryText", dependencies: ["QuarryBackend"]),
    // Files of the operating system: paths, identities, locks, errors.
    .target(name: "QuarrySystem", dependencies: ["CFileIdentity", "QuarryBackend"]),
    // A call of the system that Swift does not import.
    .target(name: "CFileIdentity"),
    // Ordered trees of bytes, and the backend that is built on them.
    .target(name: "QuarryKeyValue", dependencies: ["QuarryBackend"]),
    // Encryption for any engine of ordered trees: its trees as sealed pages in those of the engine below.
    .target(name: "QuarrySealed", dependencies: ["QuarryBackend", "QuarryKeyValue"]),
    // The copy-on-write B+tree, for engines whose trees are in memory.
    .target(name: "QuarryTree", dependencies: ["QuarryBackend", "QuarryKeyValue"]),
    // Predicates in SQL, for engines that have a dialect of it.
    .target(name: "QuarrySQL", dependencies: ["QuarryBackend"]),
    // What the user holds. No macros below this line, so that a build without them is quick.
    .target(name: "QuarryCore", dependencies: ["QuarryBackend", "QuarryQuery", "QuarryText"]),
    // Edits that are not stored yet. A product of its own: a program without drafts does not compile it.
    .target(name: "QuarryDrafts", dependencies: ["QuarryBackend", "QuarryCore"]),
    // Events of stores in the log and the metrics of a program.
    .target(name: "QuarryLogging", dependencies: ["QuarryBackend", library("Logging", of: "swift-log")]),
    .target(name: "QuarryMetrics", dependencies: ["QuarryBackend", library("Metrics", of: "swift-metrics")]),
    // Live lists in views. scripts/test-swiftui compiles it against a stand-in on Linux.
    .target(name: "QuarrySwiftUI", dependencies: ["QuarryCore"]),
    // Every engine, and stores by URL.
    .target(name: "QuarryEngines", dependencies: ["QuarryBackend", "QuarryCore"]),
    // Files of CSV and JSON Lines: their rows, and the models that their columns are.
    .target(name: "QuarryData", dependencies: ["QuarryBackend", "QuarrySystem"]),
    .systemLibrary(
      name: "CCrypto",
      pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl"])]
    ),
    // Keys and ciphers of encrypted stores. Engines know the interface in QuarryBackend alone.
    .target(
      name: "QuarryEncryption",
      dependencies: [
        "QuarryBackend", "QuarrySystem", .target(name: "CCrypto", condition: .when(platforms: [.linux])),
      ]
    ),
    // Sync of stores: records, their merge, the tables that follow, sessions between peers. No network.
    .target(
      name: "QuarrySync",
      dependencies: [
        "QuarryBackend", "QuarryCore", "QuarryQuery", .target(name: "CCrypto", condition: .when(platforms: [.linux])),
      ]
    ),
    // A server that answers what is under way before it ends. Empty without the trait HTTP.
    .target(
      name: "QuarryServing",
      dependencies: [
        "QuarryBackend", http("Hummingbird", of: "hummingbird"), http("HummingbirdCore", of: "hummingbird"),
        http("ServiceLifecycle", of: "swift-service-lifecycle"), http("NIOCore", of: "swift-nio"),
        http("Logging", of: "swift-log"),
      ]
    ),
    // Compressed bodies of sync over HTTP.
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),
    // Sync over HTTP: a served store, and clients. Empty without the trait HTTP.
    .target(
      name: "QuarrySyncHTTP",
      dependencies: [
        .target(name: "CZlib", condition: .when(traits: ["HTTP"])),
        "QuarryBackend", "QuarryCore", "QuarryServing", "QuarrySync",
        http("Hummingbird", of: "hummingbird"), http("HummingbirdCore", of: "hummingbird"),
        http("HummingbirdTLS", of: "hummingbird"),
        http("AsyncHTTPClient", of: "async-http-client"), http("ServiceLifecycle", of: "swift-service-lifecycle"),
        http("NIOCore", of: "swift-nio"), http("NIOHTTP1", of: "swift-nio"), http("NIOSSL", of: "swift-nio-ssl"),
        http("HTTPTypes", of: "swift-http-types"), http("Logging", of: "swift-log"),
      ]
    ),
    // Stores as text: dumps and what is made of them.
    .target(
      name: "QuarryDump",
      dependencies: [
        "QuarryBackend", "QuarryCore", "QuarryData", "QuarryQuery",
        .target(name: "CCrypto", condition: .when(platforms: [.linux])),
      ]
    ),
    // SQLite databases of other programs: read, and made into models.
    .target(name: "QuarryAdoption", dependencies: ["CSQLite", "QuarryBackend", "QuarryCore"]),
    // Stores as people look at them and edit them, by names.
    .target(
      name: "QuarryInspect",
      dependencies: ["QuarryBackend", "QuarryCore", "QuarryData", "QuarryQuery", "QuarrySync", "QuarryText"]),
    // Charts of figures as SVG.
    .target(name: "QuarryCharts", dependencies: ["QuarryData"]),
    // Studio: these as pages of HTML and as JSON.
    .target(
      name: "QuarryStudio",
      dependencies: [
        "QuarryBackend", "QuarryCharts", "QuarryCore", "QuarryData", "QuarryDump", "QuarryInspect", "QuarryQuery",
        "QuarryServing", "QuarrySync",
        http("Hummingbird", of: "hummingbird"), http("Mustache", of: "swift-mustache"),
        http("ServiceLifecycle", of: "swift-service-lifecycle"),
        http("NIOCore", of: "swift-nio"), http("HTTPTypes", of: "swift-http-types"),
      ]
    ),
    .macro(
      name: "QuarryMacros",
      dependencies: [
        swiftSyntax("SwiftSyntax"), swiftSyntax("SwiftSyntaxMacros"), swiftSyntax("SwiftSyntaxBuilder"),
        swiftSyntax("SwiftDiagnostics"), swiftSyntax("SwiftCompilerPlugin"),
      ]
    ),
    .target(
      name: "Quarry",
      dependencies: ["QuarryCore", .target(name: "QuarryMacros", condition: .when(traits: ["Macros"]))]),
    // The tool is a library with a main of two lines.
    .executableTarget(name: "QuarryCommand", dependencies: ["QuarryTool"]),
    .target(
      name: "QuarryTool",
      dependencies: [
        "QuarryAdoption", "QuarryBackend", "QuarryCharts", "QuarryCore", "QuarryData", "QuarryDump", "QuarryEncryption",
        "QuarryEngines", "QuarryInspect", "QuarryQuery", "QuarrySync", "QuarrySystem", "QuarryText",
        .target(name: "QuarryStudio", condition: .when(traits: ["HTTP"])),
        .target(name: "QuarrySyncHTTP", condition: .when(traits: ["HTTP"])),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    // Random numbers that are the same for the same seed: of the kit, and of tests that do not need the kit.
    .target(name: "QuarrySeeds", path: "ConformanceSuite/Sources/QuarrySeeds"),
    // The conformance kit: harnesses, how cases run, the models and references that cases share.
    .target(
      name: "QuarryConformanceKit",
      dependencies: [
        "QuarryBackend", "QuarryCore", "QuarryDump", "QuarryEncryption", "QuarryKeyValue", "QuarryQuery", "QuarrySeeds",
        "QuarrySync",
      ],
      path: "ConformanceSuite/Sources/QuarryConformanceKit"
    ),
    // The cases, in modules that compile side by side.
    .target(
      name: "QuarryConformanceQueries",
      dependencies: [
        "QuarryBackend", "QuarryConformanceKit", "QuarryCore", "QuarryDrafts", "QuarryQuery",
      ],
      path: "ConformanceSuite/Sources/QuarryConformanceQueries"
    ),
    .target(
      name: "QuarryConformanceCommits",
      dependencies: [
        "QuarryBackend", "QuarryConformanceKit", "QuarryCore", "QuarryDrafts", "QuarryQuery", "QuarryText",
      ],
      path: "ConformanceSuite/Sources/QuarryConformanceCommits"
    ),
    .target(
      name: "QuarryConformanceModels",
      dependencies: [
        "QuarryBackend", "QuarryConformanceKit", "QuarryCore", "QuarryData", "QuarryDump", "QuarryEncryption",
        "QuarryQuery",
      ],
      path: "ConformanceSuite/Sources/QuarryConformanceModels"
    ),
    .target(
      name: "QuarryConformanceFiles",
      dependencies: [
        "QuarryBackend", "QuarryConformanceKit", "QuarryCore", "QuarryDump", "QuarryEncryption", "QuarryQuery",
        "QuarrySeeds", "QuarrySync",
      ],
      path: "ConformanceSuite/Sources/QuarryConformanceFiles"
    ),
    // The cases that are written as text: their reader, their runner, and the texts.
    .target(
      name: "QuarryConformanceTexts",
      dependencies: ["QuarryBackend", "QuarryConformanceKit", "QuarryCore", "QuarryQuery"],
      path: "ConformanceSuite/Sources/QuarryConformanceTexts"
    ),
    // What harnesses import: the kit with all cases.
    .target(
      name: "QuarryConformance",
      dependencies: [
        "QuarryConformanceCommits", "QuarryConformanceFiles", "QuarryConformanceKit", "QuarryConformanceModels",
        "QuarryConformanceQueries", "QuarryConformanceTexts",
      ],
      path: "ConformanceSuite/Sources/QuarryConformance"
    ),
    .target(
      name: "QuarryConformanceTesting",
      dependencies: ["QuarryBackend", "QuarryConformance"],
      path: "ConformanceSuite/Sources/QuarryConformanceTesting"
    ),
    .target(
      name: "QuarryConformanceCommand",
      dependencies: [
        "QuarryBackend", "QuarryConformance", "QuarryData",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "ConformanceSuite/Sources/QuarryConformanceCommand"
    ),
    // Ends a process at a chosen operation on files. In C, and by itself: it works below every engine.
    .target(name: "QuarryCrashLab", path: "ConformanceSuite/Sources/QuarryCrashLab"),
    // A server of PostgreSQL that is private to a process: for tests, and for scripts by the program beside it.
    .target(
      name: "QuarryPrivateServer", dependencies: ["QuarryBackend"],
      path: "ConformanceSuite/Sources/QuarryPrivateServer"
    ),
    .executableTarget(
      name: "private-server", dependencies: ["QuarryPrivateServer"],
      path: "ConformanceSuite/Sources/PrivateServerCommand"
    ),
    // What the kit has to know of the engines of this package.
    .target(
      name: "QuarryHarnesses",
      dependencies: [
        "QuarryBackend", "QuarryConformance", "QuarryEngines", "QuarryKeyValue", "QuarryManyWriters",
        "QuarryPrivateServer", "QuarrySystem",
      ],
      path: "ConformanceSuite/Sources/QuarryHarnesses"
    ),
    // The kit's program for these engines, which the tool starts: whoever builds the tool does not build the kit.
    .executableTarget(
      name: "EngineConformanceProgram", dependencies: ["EngineConformance"],
      path: "ConformanceSuite/Sources/EngineConformanceProgram"
    ),
    .target(
      name: "EngineConformance",
      dependencies: [
        "QuarryBackend", "QuarryConformance", "QuarryConformanceCommand", "QuarryCore", "QuarryData",
        "QuarryHarnesses", "QuarryQuery",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "ConformanceSuite/Sources/EngineConformance"
    ),
    // Backends that are wrong on purpose, which prove the kit.
    .target(
      name: "QuarryConformanceFaults",
      dependencies: [
        "QuarryBackend", "QuarryConformance", "QuarryData", "QuarryKeyValue", "QuarryFlatFile", "QuarryMemory",
        "QuarryTree",
      ],
      path: "ConformanceSuite/Sources/QuarryConformanceFaults"
    ),
    .executableTarget(
      name: "planted-faults", dependencies: ["QuarryConformanceFaults"],
      path: "ConformanceSuite/Sources/PlantedFaultsCommand"
    ),
    // An engine with many writers behind a simulated server, for tests and measurements.
    .target(
      name: "QuarryManyWriters", dependencies: ["QuarryBackend", "QuarryKeyValue", "QuarryTree"],
      path: "ConformanceSuite/Sources/QuarryManyWriters"
    ),
    // Every reader of bytes that come from outside, with what must hold for each input: scripts/fuzz and a test of samples.
    .target(
      name: "QuarryFuzzing",
      dependencies: [
        "QuarryBackend", "QuarryCore", "QuarryData", "QuarryDump", "QuarryEngines", "QuarryKeyValue", "QuarryMemory",
        "QuarryQuery", "QuarrySealed",
      ],
      path: "ConformanceSuite/Sources/QuarryFuzzing"
    ),
    // What several test targets need.
    .target(
      name: "QuarryTestSupport",
      dependencies: ["QuarryBackend", "QuarryCore", "QuarryData", "QuarryKeyValue", "QuarrySeeds"],
      path: "Tests/QuarryTestSupport"
    ),
    // A peer of synced stores that forges its messages.
    .target(
      name: "HostilePeer",
      dependencies: ["QuarryBackend", "QuarryCore", "QuarryEngines", "QuarrySync", "QuarryTestSupport"],
      path: "Tests/HostilePeer"
    ),
    // A second process of tests, which they kill.
    .executableTarget(
      name: "second-process",
      dependencies: [
        "QuarryBackend", "QuarryCore", "QuarryCrashLab", "QuarryEncryption", "QuarryEngines", "QuarryTestSupport",
      ],
      path: "Tests/SecondProcess"
    ),
    // Tests that need a program run it, or start it as the second process of the kit's cases.
    .testTarget(name: "QuarryBackendTests", dependencies: ["QuarryBackend", "QuarryTestSupport"]),
    .testTarget(name: "QuarryQueryTests", dependencies: ["QuarryBackend", "QuarryQuery", "QuarryTestSupport"]),
    .testTarget(name: "QuarryTextTests", dependencies: ["QuarryBackend", "QuarryText"]),
    .testTarget(
      name: "QuarryKeyValueTests",
      dependencies: [
        "QuarryBackend", "QuarryConformance", "QuarryConformanceTesting", "QuarryCore", "QuarryKeyValue",
        "QuarryMemory",
        "QuarryTree", "QuarryTestSupport",
      ]
    ),
    .testTarget(
      name: "QuarrySealedTests",
      dependencies: [
        "QuarryBackend", "QuarryConformance", "QuarryEncryption", "QuarryKeyValue", "QuarryMemory", "QuarrySealed",
        "QuarryTestSupport",
      ]
    ),
    .testTarget(
      name: "QuarryEncryptionTests",
      dependencies: ["QuarryBackend", "QuarryEncryption", "QuarryTestSupport"]
    ),
    .testTarget(name: "QuarrySQLTests", dependencies: ["QuarryBackend", "QuarrySQL"]),
    .testTarget(
      name: "QuarryConformanceTests",
      dependencies: [
        "QuarryBackend", "EngineConformance", "EngineConformanceProgram", "QuarryCore", "QuarryConformance",
        "QuarryConformanceKit", "QuarryConformanceTexts", "QuarryHarnesses", "QuarryKeyValue", "QuarryQuery",
      ],
      path: "ConformanceSuite/Tests/QuarryConformanceTests"
    ),
    .testTarget(
      name: "QuarryFuzzingTests",
      dependencies: ["QuarryBackend", "QuarryConformance", "QuarryFuzzing", "QuarrySealed", "QuarryTestSupport"],
      path: "ConformanceSuite/Tests/QuarryFuzzingTests"
    ),
    .testTarget(
      name: "QuarryConformanceFaultsTests",
      dependencies: [
        "planted-faults", "QuarryConformance", "QuarryConformanceFaults", "QuarryConformanceTesting",
      ],
      path: "ConformanceSuite/Tests/QuarryConformanceFaultsTests"
    ),
    // What all engines must do alike, and what they do on a disk that is full.
    .testTarget(
      name: "QuarryEnginesTests",
      dependencies: [
        "QuarryBackend", "EngineConformanceProgram", "QuarryCore", "QuarryEncryption", "QuarryEngines", "QuarryQuery",
        "QuarryConformance", "QuarryConformanceKit", "QuarryConformanceTesting", "QuarryHarnesses", "QuarrySystem",
        "QuarryTestSupport",
      ]
    ),
    .testTarget(
      name: "QuarryCoreTests",
      dependencies: [
        "QuarryBackend", "QuarryConformance", "QuarryCore", "QuarryManyWriters", "QuarryMemory", "QuarryQuery",
        "QuarryTestSupport",
      ]),
    .testTarget(
      name: "QuarryFunctionsTests",
      dependencies: ["QuarryBackend", "QuarryCore", "QuarryEngines", "QuarryQuery", "QuarryTestSupport"]),
    .testTarget(
      name: "QuarryDraftsTests",
      dependencies: ["QuarryBackend", "QuarryCore", "QuarryDrafts", "QuarryEngines", "QuarryTestSupport"]
    ),
    // The index of words, and searches by it.
    .testTarget(
      name: "QuarrySearchTests",
      dependencies: [
        "QuarryBackend", "QuarryCore", "QuarryDump", "QuarryEncryption", "QuarryEngines", "QuarryQuery", "QuarrySeeds",
        "QuarryTestSupport", "QuarryText", "second-process",
      ]
    ),
    .testTarget(
      name: "QuarryKeysTests",
      dependencies: [
        "Quarry", "QuarryBackend", "QuarryCore", "QuarryData", "QuarryDrafts", "QuarryDump", "QuarryEncryption",
        "QuarryEngines", "QuarryManyWriters", "QuarryTestSupport",
      ]
    ),
    .testTarget(
      name: "QuarryHistoryTests",
      dependencies: [
        "QuarryBackend", "QuarryCore", "QuarryDump", "QuarryEncryption", "QuarryEngines", "QuarryManyWriters",
        "QuarryQuery", "QuarryTestSupport", "second-process",
      ]
    ),
    .testTarget(
      name: "QuarryTests",
      dependencies: [
        "Quarry", "QuarryBackend", "QuarryCore", "QuarryDrafts", "QuarryDump", "QuarryEncryption", "QuarryEngines",
        "QuarryManyWriters", "QuarryMemory", "QuarrySQLite", "QuarrySync", "QuarryTestSupport",
      ]
    ),
    // What a program sees that imports Quarry alone, is isolated to the main actor and strict about imports.
    .testTarget(
      name: "QuarryMainActorTests",
      dependencies: ["Quarry", "QuarryCore", "QuarryBackend", "QuarryMemory"],
      swiftSettings: [
        .defaultIsolation(MainActor.self),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ]
    ),
    // Traces of docs/sync/spec replayed, and the laws.
    .testTarget(
      name: "QuarrySyncTests", dependencies: ["QuarryBackend", "QuarrySync"], resources: [.copy("Traces")]),
    // Synced stores on every engine of this machine.
    .testTarget(
      name: "QuarrySyncStoreTests",
      dependencies: [
        "HostilePeer", "QuarryBackend", "QuarryCore", "QuarryEngines", "QuarryQuery", "QuarrySync", "QuarryTestSupport",
      ]),
    .testTarget(
      name: "QuarryInspectTests",
      dependencies: ["QuarryBackend", "QuarryCore", "QuarryData", "QuarryInspect", "QuarryMemory", "QuarrySync"]),
    .testTarget(name: "QuarryDataTests", dependencies: ["QuarryBackend", "QuarryData", "QuarryTestSupport"]),
    .testTarget(
      name: "QuarryToolTests",
      dependencies: [
        "CSQLite", "EngineConformanceProgram", "QuarryAdoption", "QuarryBackend", "QuarryCommand", "QuarryCore",
        "QuarryData", "QuarryEngines", "QuarryQuery", "QuarryTestSupport", "QuarryTool",
      ],
      resources: [.copy("Databases")]),
  ],
  swiftLanguageModes: [.v6]
)

/// An engine: its module in Sources, the system library that it links, and the tests in Tests/MODULETests.
struct Engine {
  var module: String
  var dependencies: [Target.Dependency]
  /// The headers stand in Sources/NAME/shim.h. scripts/setup installs the packages that are named here.
  var library: Target?
  /// The trait without which the engine is neither compiled nor linked; nil for an engine of every build.
  var trait: String?
}

// Engines do not know each other.
let engines = [
  Engine(module: "QuarryMemory", dependencies: ["QuarryKeyValue", "QuarryTree"]),
  Engine(module: "QuarryFlatFile", dependencies: ["QuarryKeyValue", "QuarrySystem", "QuarryTree"]),
  Engine(
    module: "QuarrySQLite", dependencies: ["QuarrySQL", "QuarrySystem"],
    library: .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])])),
  Engine(
    module: "QuarryLMDB", dependencies: ["QuarryKeyValue", "QuarrySealed", "QuarrySystem"],
    library: .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])])),
  Engine(
    module: "QuarryPostgreSQL", dependencies: ["QuarrySQL"],
    library: .systemLibrary(
      name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    trait: "PostgreSQL"),
]

for engine in engines {
  let condition = engine.trait.flatMap { TargetDependencyCondition.when(traits: [$0]) }
  let library: [Target.Dependency] = engine.library.map { [.target(name: $0.name, condition: condition)] } ?? []
  let own = engine.dependencies + library
  package.products.append(.library(name: engine.module, targets: [engine.module]))
  if let library = engine.library { package.targets.append(library) }
  package.targets.append(.target(name: engine.module, dependencies: ["QuarryBackend"] + own))
  // Tests may use all that a test of an engine needs.
  let tests: [Target.Dependency] = [
    "EngineConformanceProgram", "QuarryBackend", "QuarryConformance", "QuarryConformanceTesting", "QuarryCore",
    "QuarryDump", "QuarryEncryption", "QuarryEngines", "QuarryHarnesses", "QuarryPrivateServer", "QuarryQuery",
    "QuarrySeeds", "QuarrySync", "QuarryTestSupport",
  ]
  package.targets.append(
    .testTarget(name: engine.module + "Tests", dependencies: tests + [.target(name: engine.module)] + own))
  // What has every engine.
  let users = ["QuarryEngines", "QuarryHarnesses", "QuarryConformanceTests", "QuarryEnginesTests"]
  for user in package.targets where users.contains(user.name) {
    user.dependencies.append(.target(name: engine.module, condition: condition))
  }
}

// Programs that measure, and the writer of golden stores. Their scripts set QUARRY_MEASURING=1. A package that depends on Quarry
// does not have these targets.
if Context.environment["QUARRY_MEASURING"] == "1" {
  package.targets += [
    // Writes the stores by which later versions are measured: scripts/golden-stores.
    .executableTarget(
      name: "golden-stores",
      dependencies: [
        "QuarryBackend", "QuarryCore", "QuarryEncryption", "QuarryEngines", "QuarrySync",
        "QuarryTestSupport",
      ],
      path: "Tests/Golden/Writer"
    ),
    // Measures copies beside bulk inserts: scripts/copying.
    .executableTarget(
      name: "copy-speed",
      dependencies: ["QuarryBackend", "QuarryCore", "QuarryEngines"],
      path: "Tests/Measuring/CopySpeed"
    ),
    // Measures moves in lists of links: scripts/link-moves.
    .executableTarget(
      name: "link-moves", dependencies: ["Quarry", "QuarryEngines"], path: "Tests/Measuring/LinkMoves"),
    // Measures what histories, drafts and keys cost: scripts/history-cost.
    .executableTarget(
      name: "history-cost",
      dependencies: ["MeasuringSupport", "QuarryBackend", "QuarryCore", "QuarryDrafts", "QuarryEngines"],
      path: "Tests/Measuring/HistoryCost"),
    // Measures writes and exchanges of synced stores, and tries the laws of sync on many changes: scripts/sync-cost.
    .executableTarget(
      name: "sync-cost",
      dependencies: ["MeasuringSupport", "QuarryBackend", "QuarryCore", "QuarryEngines", "QuarrySeeds", "QuarrySync"],
      path: "Tests/Measuring/SyncCost"),
    // Sends forged messages to synced stores: scripts/sync-hostile.
    .executableTarget(
      name: "sync-hostile", dependencies: ["HostilePeer", "QuarrySync"], path: "Tests/Measuring/SyncHostile"),
    .target(
      name: "MeasuringSupport", dependencies: ["QuarryBackend", "QuarryEngines"], path: "Tests/Measuring/Support"),
    // Measures text search beside FTS5 and tsvector: scripts/search-speed.
    .executableTarget(
      name: "search-speed",
      dependencies: [
        "CSQLite", "QuarryBackend", "QuarryCore", "QuarryEngines", "QuarrySeeds", "QuarryText",
        .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
      ],
      path: "Tests/Measuring/SearchSpeed"),
    // Checks histories of transactions of two processes: scripts/serial-histories.
    .executableTarget(
      name: "serial-histories",
      dependencies: ["QuarryBackend", "QuarryConformanceKit", "QuarryCore", "QuarryEngines", "QuarrySeeds"],
      path: "Tests/Measuring/SerialHistories"),
    // Measures writers side by side: scripts/many-writers.
    .executableTarget(
      name: "many-writers", dependencies: ["QuarryBackend", "QuarryCore", "QuarryManyWriters"],
      path: "Tests/Measuring/ManyWriters"),
  ]
}

// The program of scripts/fuzz, which links only with -sanitize=fuzzer.
if Context.environment["QUARRY_FUZZING"] == "1" {
  package.products.append(.executable(name: "quarry-fuzz", targets: ["QuarryFuzzer"]))
  package.targets += [
    .executableTarget(
      name: "QuarryFuzzer", dependencies: ["QuarryFuzzing"], path: "ConformanceSuite/Sources/QuarryFuzzer")
  ]
}

// What the tests of the engine on PostgreSQL need in the package StudioTests, which is built with its trait.
if Context.environment["QUARRY_STUDIO_POSTGRES"] == "1" {
  for name in ["QuarryHarnesses", "QuarryPrivateServer", "QuarrySeeds", "QuarryTestSupport"] {
    package.products.append(.library(name: name, targets: [name]))
  }
}

// QUARRY_TESTS=QuarryDraftsTests,QuarryCoreTests keeps these test targets alone. With --product quarryPackageTests a build
// then compiles what they need, and the kit only where they need it.
if let tests = Context.environment["QUARRY_TESTS"] {
  let kept = Set(tests.split(separator: ",").map(String.init))
  package.targets.removeAll { $0.type == .test && !kept.contains($0.name) }
}

for target in package.targets where target.type != .system && target.type != .plugin {
  var settings = target.swiftSettings ?? []
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
  settings.append(.enableUpcomingFeature("ExistentialAny"))
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
  settings.append(.enableUpcomingFeature("InternalImportsByDefault"))
  target.swiftSettings = settings
}
