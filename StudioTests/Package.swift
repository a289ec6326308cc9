// swift-tools-version: 6.2
import PackageDescription

// The tests of Studio, of sync over HTTP, and of logs and metrics, in a package of their own: a trait changes the flags of every
// module, so that a build with it beside one without it would compile the repository twice. Examples/notes uses the build, and
// has the same traits. The tool with Studio is built here too: scripts/studio.
// The engine on PostgreSQL, which needs libpq, is another trait: QUARRY_STUDIO_POSTGRES=1 adds it, and the engine's own tests.
let hasPostgreSQL = Context.environment["QUARRY_STUDIO_POSTGRES"] == "1"
let traits: Set<Package.Dependency.Trait> =
  hasPostgreSQL ? ["HTTP", "Logging", "Metrics", "PostgreSQL"] : ["HTTP", "Logging", "Metrics"]

let package = Package(
  name: "studio-tests",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "quarry", path: "..", traits: traits),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.9.0"),
  ],
  targets: [
    .testTarget(
      name: "QuarryStudioTests",
      dependencies: [
        .product(name: "QuarryBackend", package: "quarry"), .product(name: "QuarryCore", package: "quarry"),
        .product(name: "QuarryEncryption", package: "quarry"), .product(name: "QuarryEngines", package: "quarry"),
        .product(name: "QuarryInspect", package: "quarry"),
        .product(name: "QuarryStudio", package: "quarry"), .product(name: "QuarrySync", package: "quarry"),
        .product(name: "quarry", package: "quarry"),
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "Logging", package: "swift-log"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ]
    ),
    .testTarget(
      name: "QuarrySyncHTTPTests",
      dependencies: [
        .product(name: "QuarryBackend", package: "quarry"), .product(name: "QuarryCore", package: "quarry"),
        .product(name: "QuarryEngines", package: "quarry"), .product(name: "QuarryQuery", package: "quarry"),
        .product(name: "QuarrySync", package: "quarry"),
        .product(name: "QuarrySyncHTTP", package: "quarry"), .product(name: "quarry", package: "quarry"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"), .product(name: "Logging", package: "swift-log"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
    .testTarget(
      name: "QuarryReportingTests",
      dependencies: [
        .product(name: "QuarryBackend", package: "quarry"), .product(name: "QuarryCore", package: "quarry"),
        .product(name: "QuarryLogging", package: "quarry"), .product(name: "QuarryMemory", package: "quarry"),
        .product(name: "QuarryMetrics", package: "quarry"),
        .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// The tests of the engine on PostgreSQL, whose folder is a link, with a sample of the kit. The part of the kit behind a pooler is
// left out: scripts/test-postgres runs it. Cases start the program of the kit as a second process.
if hasPostgreSQL {
  package.targets.append(
    .testTarget(
      name: "QuarryPostgreSQLTests",
      dependencies: [
        "QuarryBackend", "QuarryConformance", "QuarryConformanceTesting", "QuarryCore", "QuarryDump", "QuarryEngines",
        "QuarryHarnesses", "QuarryPostgreSQL", "QuarryPrivateServer", "QuarryQuery", "QuarrySeeds",
        "QuarrySync", "QuarryTestSupport", "quarry-conformance",
      ].map { .product(name: $0, package: "quarry") },
      exclude: ["PoolerConformanceTests.swift"]))
  for target in package.targets where ["QuarryStudioTests", "QuarrySyncHTTPTests"].contains(target.name) {
    target.dependencies.append(.product(name: "QuarryPrivateServer", package: "quarry"))
  }
}

for target in package.targets {
  target.swiftSettings = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]
  if hasPostgreSQL { target.swiftSettings?.append(.define("PostgreSQL")) }
}
