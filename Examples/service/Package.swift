// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as a program that uses Quarry has it: the trait PostgreSQL changes how every module is compiled.
let package = Package(
  name: "service",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "quarry", path: "../..", traits: [.defaults, "PostgreSQL"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
  ],
  targets: [
    .executableTarget(
      name: "service",
      dependencies: [
        .product(name: "Quarry", package: "quarry"), .product(name: "QuarryEngines", package: "quarry"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Service"
    ),
    // Needs nothing of Quarry: it sees the service as any client does.
    .executableTarget(name: "service-load", path: "Sources/ServiceLoad"),
  ],
  swiftLanguageModes: [.v6]
)
