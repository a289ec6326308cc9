#if os(Linux)
  import Foundation
  import QuarryBackend
  import QuarryFlatFile
  import Testing

  @testable import QuarryConformance
  @testable import QuarryConformanceKit

  /// Processes that are ended at operations on files.
  @Suite struct CrashLabTests {
    /// A place that is removed with the value, its folder, and a second process there.
    private final class Scene {
      let kit = ConformanceContext(SecondProcessHarness(), patience: 3)
      let place: any BackendProvider
      let path: String
      var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

      init() throws {
        place = try kit.makePlace()
        path = try #require((place as? SecondProcessHarness.Place)?.inner.path)
      }

      deinit { kit.cleanUp() }

      func process(endingAt operation: Int, isTorn: Bool = false, in folder: String? = nil) throws -> SecondProcess {
        try kit.secondProcess(at: place, endingAt: operation, isTorn: isTorn, in: folder ?? self.folder)
      }

      var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }
    }

    @Test func processEndsBeforeTheFirstOperation() throws {
      let scene = try Scene()
      let (lines, code) = try scene.process(endingAt: 1).askLast("open item")
      #expect(lines == [] && code == CrashLab.exitCode)
      #expect(scene.names == [])
    }

    @Test func everyOperationIsAnEnd() throws {
      let counting = try Scene()
      let process = try counting.process(endingAt: 0)
      try process.ask("open item")
      let count = try #require(Int(try process.ask("operations")))
      try process.finish()
      #expect(count >= 4, "a file is made, written, brought to the disk and named")
      for operation in 1...count {
        let scene = try Scene()
        let (lines, code) = try scene.process(endingAt: operation).askLast("open item")
        #expect(lines == [] && code == CrashLab.exitCode, "operation \(operation) of \(count)")
      }
    }

    @Test func writeIsTornInItsMiddle() throws {
      let counting = try Scene()
      let process = try counting.process(endingAt: 0)
      try process.ask("open item")
      let count = try #require(Int(try process.ask("operations")))
      try process.finish()
      var torn = 0
      for operation in 1...count {
        let bytes = try [false, true].map { isTorn in
          let scene = try Scene()
          _ = try scene.process(endingAt: operation, isTorn: isTorn).askLast("open item")
          return try scene.names.reduce(0) { sum, name in
            try sum + Data(contentsOf: URL(fileURLWithPath: "\(scene.folder)/\(name)")).count
          }
        }
        #expect(bytes[1] >= bytes[0], "operation \(operation): \(bytes)")
        if bytes[1] > bytes[0] { torn += 1 }
      }
      #expect(torn > 0, "one of \(count) operations is a write, of which the half is there")
    }

    @Test func otherFoldersAreNotCounted() throws {
      let (scene, other) = (try Scene(), try Scene())
      let process = try scene.process(endingAt: 1, in: other.folder)
      try process.expect("open item", "open")
      try process.expect("operations", "0")
      try process.finish()
    }

    @Test func withoutTheLibraryCasesAreNotRun() throws {
      let program = try Script("exit 1")
      let testCase = try #require(ConformanceSuite.cases.first { $0.id == "ENC.encrypt-killed-at-operations" })
      let outcome = ConformanceExecution(SecondProcessHarness(program.path)).result(
        of: ConformanceRun(testCase, .fresh)
      ).outcome
      guard case .notRun(let reason) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(reason.contains("build the product QuarryCrashLab"))
    }
  }
#endif
