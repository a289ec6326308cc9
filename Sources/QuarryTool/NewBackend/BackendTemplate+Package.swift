// The files around the engine of a package that `quarry new-backend` writes.
extension BackendTemplate {
  static let package = ##"""
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "__name__",
      platforms: [.macOS(.v15)],
      products: [.library(name: "__Type__", targets: ["__Type__"])],
      // Without its macros Quarry needs no swift-syntax.
      dependencies: [__dependency__],
      targets: [
        .target(
          name: "__Type__",
          dependencies: [
            .product(name: "QuarryBackend", package: "quarry"), .product(name: "QuarryKeyValue", package: "quarry"),
          ]),
        .target(
          name: "__Type__Harness",
          dependencies: [
            "__Type__", .product(name: "QuarryBackend", package: "quarry"),
            .product(name: "QuarryConformance", package: "quarry"),
            .product(name: "QuarryKeyValue", package: "quarry"),
          ]),
        .executableTarget(
          name: "__name__-conformance",
          dependencies: [
            "__Type__Harness", .product(name: "QuarryConformanceCommand", package: "quarry"),
            // A library beside the program, which the kit loads into second processes: for a store that persists.
            .product(name: "QuarryCrashLab", package: "quarry"),
          ]),
        .testTarget(
          name: "__Type__Tests",
          dependencies: [
            "__Type__", "__Type__Harness", .product(name: "QuarryConformance", package: "quarry"),
            .product(name: "QuarryConformanceTesting", package: "quarry"),
          ]),
      ],
      swiftLanguageModes: [.v6]
    )

    for target in package.targets {
      target.swiftSettings = [.enableUpcomingFeature("InternalImportsByDefault")]
    }

    """##

  static let provider = ##"""
    public import QuarryBackend
    import QuarryKeyValue

    /// A store of the engine: what a program gives to `Store(for:in:)`.
    public struct __Type__Provider: BackendProvider {
      /// The capabilities of a store, for the harness and for programs that check them before they open a store.
      public static var manifest: BackendManifest { .keyValue(__Type__Engine.properties) }

      public init() {}

      public func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
        // Refuses what the engine does not offer before there is any effect.
        try Self.manifest.check(options)
        let engine = __Type__Engine()
        do throws(StorageError) {
          return try KeyValueBackend(engine, options: options)
        } catch {
          try? engine.close()
          throw error
        }
      }
    }

    """##

  static let harness = ##"""
    public import QuarryBackend
    public import QuarryConformance
    import QuarryKeyValue
    public import __Type__

    /// Describes the backend to the kit.
    public struct __Type__Harness: ConformanceHarness {
      public let name = "__name__"
      /// True once a store that was closed can be opened again with what it had.
      public let isPersistent = false
      /// Written down a second time, apart from the engine's own: the kit compares both.
      public let manifest = BackendManifest.keyValue(
        KeyValueEngineProperties(
          name: "__name__", version: "1", durability: .none, sharing: .oneProcess, countsRanges: true))

      public init() {}

      public func makePlace() throws -> any BackendProvider { __Type__Provider() }
      public func remove(_ place: any BackendProvider) {}
    }

    /// Describes the bare engine to the small suite.
    public struct __Type__EngineHarness: KeyValueEngineHarness {
      public init() {}
      public func makeEngine() throws -> __Type__Engine { __Type__Engine() }
    }

    """##

  static let main = ##"""
    import QuarryConformanceCommand
    import __Type__Harness

    ConformanceCommand.main(__Type__Harness())

    """##

  static let tests = ##"""
    import QuarryConformance
    import QuarryConformanceTesting
    import Testing
    import __Type__Harness

    private let conformance = StorageConformance(__Type__Harness())
    private let engine = KeyValueEngineSuite(__Type__EngineHarness())

    @Suite struct __Type__Tests {
      @Test func harness() { conformance.checkHarness() }
      @Test(arguments: conformance.areas) func conforms(_ area: ConformanceAreaRuns) async { await conformance.check(area) }
      @Test(arguments: engine.cases) func engineConforms(_ name: String) { #expect(engine.failure(of: name) == nil) }
    }

    """##

  static let readme = ##"""
    # __name__

    A backend for Quarry: an engine of ordered trees of bytes. It begins in memory, and passes the conformance kit up to L2.

    ```sh
    swift run __name__-conformance --area CRUD     # the first area
    swift run __name__-conformance --quick         # every case, most of them once
    swift run __name__-conformance                 # all variants: what a level is awarded for
    swift test
    ```

    A debug build is enough. Next: put your storage into the place of `State` in `Sources/__Type__/__Type__Engine.swift`, give
    the provider a path, and set `isPersistent` in the harness. Quarry's `docs/implementing-a-backend.md` tells the rest.

    """##
}
