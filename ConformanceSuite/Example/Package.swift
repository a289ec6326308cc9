// swift-tools-version: 6.2
import PackageDescription

// A backend by somebody else: it depends on Quarry as any package would, by a path here and by a URL in the wild. It needs
// no macros.
let package = Package(
  name: "sorted-store",
  platforms: [.macOS(.v15)],
  products: [.library(name: "SortedStore", targets: ["SortedStore"])],
  dependencies: [.package(name: "quarry", path: "../..", traits: [])],
  targets: [
    .target(
      name: "SortedStore",
      dependencies: [
        .product(name: "QuarryBackend", package: "quarry"), .product(name: "QuarryKeyValue", package: "quarry"),
        .product(name: "QuarrySealed", package: "quarry"),
      ]),
    .target(
      name: "SortedStoreHarness",
      dependencies: [
        "SortedStore", .product(name: "QuarryConformance", package: "quarry"),
        .product(name: "QuarryBackend", package: "quarry"), .product(name: "QuarryKeyValue", package: "quarry"),
      ]),
    .executableTarget(
      name: "sorted-store-conformance",
      dependencies: [
        "SortedStoreHarness", .product(name: "QuarryConformanceCommand", package: "quarry"),
        // So that it stands beside the program, which the kit starts with it.
        .product(name: "QuarryCrashLab", package: "quarry"),
      ]),
    .testTarget(
      name: "SortedStoreTests",
      dependencies: [
        "SortedStore", "SortedStoreHarness", .product(name: "QuarryConformance", package: "quarry"),
        .product(name: "QuarryConformanceTesting", package: "quarry"),
        .product(name: "QuarryBackend", package: "quarry"), .product(name: "QuarryEncryption", package: "quarry"),
        .product(name: "QuarryKeyValue", package: "quarry"), .product(name: "QuarrySealed", package: "quarry"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
