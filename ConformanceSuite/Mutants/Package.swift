// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing else of the repository compiles swift-syntax for it.
let package = Package(
  name: "mutants",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
  ],
  targets: [
    // Finds the places that can be changed, and plants the changes.
    .target(
      name: "MutantPlanting",
      dependencies: [
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftOperators", package: "swift-syntax"),
      ]
    ),
    .executableTarget(
      name: "mutants",
      dependencies: ["MutantPlanting", .product(name: "ArgumentParser", package: "swift-argument-parser")]
    ),
    .testTarget(name: "MutantPlantingTests", dependencies: ["MutantPlanting"]),
    .testTarget(name: "MutantsTests", dependencies: ["mutants"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
  ]
}
