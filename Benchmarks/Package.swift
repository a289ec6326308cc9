// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses Quarry fetches what the benchmark needs. It takes Quarry without the
// macros, and so swift-syntax is not fetched for it.
let package = Package(
  name: "quarry-benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "BenchmarkHarness", targets: ["BenchmarkHarness"]),
    .library(name: "QuarryBenchmarkCommand", targets: ["QuarryBenchmarkCommand"]),
    .executable(name: "quarry-bench", targets: ["quarry-bench"]),
    .executable(name: "quarry-bench-peers", targets: ["quarry-bench-peers"]),
    // Without the trait PostgreSQL it only says how to build it.
    .executable(name: "quarry-bench-postgresql", targets: ["quarry-bench-postgresql"]),
    .executable(name: "one-engine-memory", targets: ["one-engine-memory"]),
    .executable(name: "one-engine-sqlite", targets: ["one-engine-sqlite"]),
  ],
  traits: [
    .trait(
      name: "PostgreSQL",
      description:
        "Quarry's engine on PostgreSQL next to libpq: scripts/bench --postgres. Without it nothing needs libpq.")
  ],
  dependencies: [
    .package(
      name: "quarry", path: "..",
      traits: [.trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // Workloads, statistics and reports. It knows no engine.
    .target(
      name: "BenchmarkHarness",
      dependencies: [.product(name: "Histogram", package: "hdrhistogram-swift")]
    ),
    // The command line, handed the engines that it can run.
    .target(
      name: "BenchmarkCommand",
      dependencies: [
        "BenchmarkHarness", "DataBenchmark", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .systemLibrary(
      name: "CBenchSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
    ),
    .systemLibrary(
      name: "CBenchLMDB",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
    ),
    .target(
      name: "BenchmarkEngines",
      dependencies: [
        "BenchmarkHarness", "CBenchSQLite",
        .product(name: "QuarryBackend", package: "quarry"),
        .product(name: "QuarryCore", package: "quarry"),
        .product(name: "QuarryEncryption", package: "quarry"),
        .product(name: "QuarryMemory", package: "quarry"),
        .product(name: "QuarryFlatFile", package: "quarry"),
        .product(name: "QuarryLMDB", package: "quarry"),
        .product(name: "QuarrySQLite", package: "quarry"),
      ]
    ),
    // The command line for an author's own engine.
    .target(
      name: "QuarryBenchmarkCommand",
      dependencies: [
        "BenchmarkCommand", "BenchmarkEngines", "BenchmarkHarness",
        .product(name: "QuarryBackend", package: "quarry"),
      ]
    ),
    // A mix of operations on the user's own data, of a model that is known only at run time.
    .target(
      name: "DataBenchmark",
      dependencies: [
        "BenchmarkEngines", "BenchmarkHarness",
        .product(name: "QuarryBackend", package: "quarry"),
        .product(name: "QuarryData", package: "quarry"),
        .product(name: "QuarryEngines", package: "quarry"),
        .product(name: "QuarryQuery", package: "quarry"),
      ]
    ),
    // The interface of SQLite as a table of functions: of the library that is linked, and of SQLCipher, which has the same
    // symbols and is therefore loaded at run time, where it is installed.
    .target(name: "CBenchSQLiteFunctions", dependencies: ["CBenchSQLite"], linkerSettings: [.linkedLibrary("dl")]),
    .target(
      name: "PeerEngines",
      dependencies: [
        "BenchmarkHarness", "CBenchSQLite", "CBenchSQLiteFunctions", "CBenchLMDB",
        .product(name: "GRDB", package: "GRDB.swift"),
        // Its files of SQLite, whose pages are checked.
        .product(name: "QuarryBackend", package: "quarry"), .product(name: "QuarrySQLite", package: "quarry"),
      ]
    ),
    .systemLibrary(
      name: "CBenchPostgreSQL",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    // Quarry on a server of PostgreSQL, and libpq by itself. Empty without the trait.
    .target(
      name: "PostgreSQLEngines",
      dependencies: [
        "BenchmarkEngines", "BenchmarkHarness",
        .target(name: "CBenchPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "QuarryBackend", package: "quarry"),
        .product(name: "QuarryPostgreSQL", package: "quarry", condition: .when(traits: ["PostgreSQL"])),
      ]
    ),
    .executableTarget(
      name: "quarry-bench",
      dependencies: ["BenchmarkCommand", "BenchmarkEngines"]
    ),
    .executableTarget(
      name: "quarry-bench-postgresql",
      dependencies: ["BenchmarkCommand", "PostgreSQLEngines"]
    ),
    .executableTarget(
      name: "quarry-bench-peers",
      dependencies: ["BenchmarkCommand", "BenchmarkEngines", "PeerEngines"]
    ),
    // Programs that use one engine, for scripts/budgets.
    .target(
      name: "OneEngine",
      dependencies: [
        .product(name: "QuarryBackend", package: "quarry"), .product(name: "QuarryCore", package: "quarry"),
      ]
    ),
    .executableTarget(
      name: "one-engine-memory", dependencies: ["OneEngine", .product(name: "QuarryMemory", package: "quarry")]),
    .executableTarget(
      name: "one-engine-sqlite", dependencies: ["OneEngine", .product(name: "QuarrySQLite", package: "quarry")]),
    // Writes a database as programs with GRDB do, for the tests of `quarry adopt`.
    .executableTarget(name: "grdb-sample", dependencies: [.product(name: "GRDB", package: "GRDB.swift")]),
    .testTarget(name: "BenchmarkHarnessTests", dependencies: ["BenchmarkHarness"]),
    .testTarget(name: "PeerEnginesTests", dependencies: ["BenchmarkHarness", "PeerEngines"]),
    // What an author writes, compiled and run.
    .testTarget(
      name: "QuarryBenchmarkCommandTests",
      dependencies: [
        "BenchmarkEngines", "BenchmarkHarness", "QuarryBenchmarkCommand",
        .product(name: "QuarryBackend", package: "quarry"),
        .product(name: "QuarryFlatFile", package: "quarry"), .product(name: "QuarryMemory", package: "quarry"),
      ]
    ),
    .testTarget(
      name: "DataBenchmarkTests",
      dependencies: [
        // The program is what the engines' processes run.
        "BenchmarkHarness", "DataBenchmark", "quarry-bench", .product(name: "QuarryBackend", package: "quarry"),
        .product(name: "QuarryEngines", package: "quarry"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.name != "CBenchSQLiteFunctions" {
  var settings = target.swiftSettings ?? []
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
  settings.append(.enableUpcomingFeature("ExistentialAny"))
  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
  settings.append(.enableUpcomingFeature("InternalImportsByDefault"))
  target.swiftSettings = settings
}
