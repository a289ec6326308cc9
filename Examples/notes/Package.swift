// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the trait HTTP changes how every module is compiled. Its models are written by hand, so that the build of
// StudioTests serves it too, with the trait PostgreSQL where that one has it: scripts/notes-example.
let traits: Set<Package.Dependency.Trait> =
  Context.environment["QUARRY_STUDIO_POSTGRES"] == "1"
  ? ["HTTP", "Logging", "Metrics", "PostgreSQL"] : ["HTTP", "Logging", "Metrics"]

let package = Package(
  name: "notes",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "quarry", path: "../..", traits: traits)],
  targets: [
    .executableTarget(
      name: "notes",
      dependencies: [
        .product(name: "QuarryCore", package: "quarry"), .product(name: "QuarryEngines", package: "quarry"),
        .product(name: "QuarrySync", package: "quarry"), .product(name: "QuarrySyncHTTP", package: "quarry"),
      ],
      path: "Sources"
    )
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]
}
