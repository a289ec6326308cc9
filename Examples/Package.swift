// swift-tools-version: 6.2
import PackageDescription

// Programs that depend on Quarry as any package does: by a path here, by a URL elsewhere.
let package = Package(
  name: "quarry-examples",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "airports-demo", targets: ["AirportsDemo"]),
    .executable(name: "shapes-demo", targets: ["ShapesDemo"]),
    .executable(name: "library-demo", targets: ["LibraryDemo"]),
    .executable(name: "watch-demo", targets: ["WatchDemo"]),
  ],
  dependencies: [.package(name: "quarry", path: "..")],
  targets: [
    .executableTarget(name: "AirportsDemo", path: "airports/Sources"),
    // The shapes that programs give to their storage: an actor, a background store, a view model and others.
    .executableTarget(name: "ShapesDemo", path: "shapes/Sources"),
    // Models that refer to each other.
    .executableTarget(name: "LibraryDemo", path: "library/Sources"),
    // Two processes: one observes what the other writes.
    .executableTarget(name: "WatchDemo", path: "watch/Sources"),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.dependencies = [
    .product(name: "Quarry", package: "quarry"), .product(name: "QuarryEngines", package: "quarry"),
  ]
  if target.name == "ShapesDemo" { target.dependencies.append(.product(name: "QuarryDrafts", package: "quarry")) }
  target.swiftSettings = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]
}
