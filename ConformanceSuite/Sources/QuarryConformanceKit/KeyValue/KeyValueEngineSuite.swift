import QuarryBackend
public import QuarryKeyValue

/// The small suite for a bare ``KeyValueEngine``: early and sharp answers, before a backend stands on it.
///
/// ```swift
/// private let suite = KeyValueEngineSuite(MyEngineHarness())
/// @Test(arguments: suite.cases) func conforms(_ name: String) { #expect(suite.failure(of: name) == nil) }
/// ```
///
/// Each case also runs as `NAME.overwritten`, on the engine behind a decorator that overwrites what was lent at the first
/// moment that the rule of `KeyValueEngine` allows: the cases ask no more of an engine than the rule.
public struct KeyValueEngineSuite<Harness: KeyValueEngineHarness>: Sendable {
  private let harness: Harness
  private let tests: KeyValueCases<Harness.Engine>
  private let overwritten: KeyValueCases<OverwritingEngine<Harness.Engine>>
  /// The names of the cases, sorted.
  public let cases: [String]

  /// Creates the suite for the engine of a harness.
  public init(_ harness: Harness) {
    self.harness = harness
    tests = KeyValueCases()
    overwritten = KeyValueCases()
    cases = tests.all.keys.flatMap { [$0, $0 + Self.suffix] }.sorted()
  }

  private static var suffix: String { ".overwritten" }

  /// Runs a case on a new engine, on a thread of its own that is given up after `seconds`.
  ///
  /// - Returns: What is wrong; nil when the case passed.
  public func failure(of name: String, within seconds: Int = 30) -> ConformanceFailure? {
    let run: @Sendable (Harness.Engine) throws -> Void
    if let test = tests.all[name] {
      run = { try test(KeyValueStage(engine: $0)) }
    } else if name.hasSuffix(Self.suffix), let test = overwritten.all[String(name.dropLast(Self.suffix.count))] {
      run = { try test(KeyValueStage(engine: OverwritingEngine($0))) }
    } else {
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
        try run(engine)
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

/// The cases of the small suite by their names.
private struct KeyValueCases<Engine: KeyValueEngine>: Sendable {
  let all: [String: @Sendable (KeyValueStage<Engine>) throws -> Void]

  init() {
    var all: [String: @Sendable (KeyValueStage<Engine>) throws -> Void] = [:]
    for group in [
      KeyValueEntryCases<Engine>.all, KeyValueRangeCases<Engine>.all, KeyValueTransactionCases<Engine>.all,
      KeyValueEdgeCases<Engine>.all,
    ] {
      all.merge(group) { first, _ in first }
    }
    self.all = all
  }
}

/// What the author of an engine writes for the small suite.
public protocol KeyValueEngineHarness: Sendable {
  /// The engine under test.
  associatedtype Engine: KeyValueEngine
  /// An open engine with nothing in it.
  func makeEngine() throws -> Engine
  /// Removes what the engine, which was closed, left behind.
  func remove(_ engine: Engine)
}

extension KeyValueEngineHarness {
  public func remove(_ engine: Engine) {}
}
