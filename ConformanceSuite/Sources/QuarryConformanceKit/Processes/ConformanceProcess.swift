import Foundation
public import QuarryBackend

/// A program that opens the places of a harness in a process of its own.
///
/// ```swift
/// var secondProcess: ConformanceProcess? {
///   ConformanceProcess("my-store-conformance", address: { ($0 as? MyProvider)?.path }, place: { MyProvider(path: $0) })
/// }
/// ```
///
/// A program that calls `ConformanceCommand.main` with the harness does what is needed by itself; any other hands its
/// arguments to ``ConformanceChild/run(_:on:)`` when the first is ``ConformanceChild/argument``.
public struct ConformanceProcess: Sendable {
  /// The program's path, or its name alone: it then stands beside the program that runs the kit.
  public let program: String
  /// Arguments between ``ConformanceChild/argument`` and those of the kit.
  public let arguments: [String]
  /// The text by which the second process finds a place, a path for example; nil for a place of another kind.
  public let address: @Sendable (any BackendProvider) -> String?
  /// The place with the address, as the second process opens it.
  public let place: @Sendable (String) throws -> any BackendProvider
  /// Whether the second process opens its place with the kit's key.
  var isSealed = false

  /// Creates a description of a second process.
  public init(
    _ program: String, arguments: [String] = [],
    address: @escaping @Sendable (any BackendProvider) -> String?,
    place: @escaping @Sendable (String) throws -> any BackendProvider
  ) {
    self.program = program
    self.arguments = arguments
    self.address = address
    self.place = place
  }

  /// The path of the program; nil when there is none that can be run.
  var path: String? {
    let candidates =
      program.contains("/") ? [program] : Self.folders.map { $0.appending(path: program).path }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Why no second process can be started here; nil when one can.
  var obstacle: String? { path == nil ? "there is no program \(program) to start as a second process" : nil }

  /// Where this program stands: tests may be a bundle beside the programs.
  private static var folders: [URL] {
    let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map(\.bundleURL)
    return ([Bundle.main.executableURL?.resolvingSymlinksInPath()].compactMap { $0 } + bundles)
      .map { $0.deletingLastPathComponent() }
  }
}
