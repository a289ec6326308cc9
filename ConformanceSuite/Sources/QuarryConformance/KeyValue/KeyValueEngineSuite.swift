import QuarryBackend
public import QuarryKeyValue

/// The small suite for a bare ``KeyValueEngine``: early and sharp answers, before a backend stands on it.
///
/// ```swift
/// private let suite = KeyValueEngineSuite(MyEngineHarness())
/// @Test(arguments: suite.cases) func conforms(_ name: String) { #expect(suite.failure(of: name) == nil) }
/// ```
public struct KeyValueEngineSuite<Harness: KeyValueEngineHarness>: Sendable {
  private let harness: Harness
  private let tests: [String: @Sendable (KeyValueStage<Harness.Engine>) throws -> Void]
  /// The names of the cases, sorted.
  public let cases: [String]

  public init(_ harness: Harness) {
    self.harness = harness
    var tests: [String: @Sendable (KeyValueStage<Harness.Engine>) throws -> Void] = [:]
    for group in [
      KeyValueEntryCases<Harness.Engine>.all, KeyValueRangeCases<Harness.Engine>.all,
      KeyValueTransactionCases<Harness.Engine>.all, KeyValueEdgeCases<Harness.Engine>.all,
    ] {
      tests.merge(group) { first, _ in first }
    }
    self.tests = tests
    cases = tests.keys.sorted()
  }

  /// Runs a case on a new engine, on a thread of its own that is given up after `seconds`.
  ///
  /// - Returns: What is wrong; nil when the case passed.
  public func failure(of name: String, within seconds: Int = 30) -> ConformanceFailure? {
    guard let test = tests[name] else {
      return ConformanceFailure(message: "there is no case \(name)", file: #fileID, line: #line)
    }
    let harness = harness
    let ended = CaseThread.run(within: .seconds(seconds)) { () async -> ConformanceFailure? in
      do {
        let engine = try harness.makeEngine()
        defer {
          try? engine.close()
          harness.remove(engine)
        }
        try test(KeyValueStage(engine: engine))
        return nil
      } catch let failure as ConformanceFailure {
        return failure
      } catch {
        return ConformanceFailure(message: "\(name) threw \(error)", file: #fileID, line: #line)
      }
    }
    return ended ?? ConformanceFailure(message: "\(name) hung for \(seconds) s", file: #fileID, line: #line)
  }
}

/// What the author of an engine writes for the small suite.
public protocol KeyValueEngineHarness: Sendable {
  associatedtype Engine: KeyValueEngine
  /// An open engine with nothing in it.
  func makeEngine() throws -> Engine
  /// Removes what the engine, which was closed, left behind.
  func remove(_ engine: Engine)
}

extension KeyValueEngineHarness {
  public func remove(_ engine: Engine) {}
}
