/// What came of one case in one variant. There is no way to skip.
public enum ConformanceOutcome: Sendable, Hashable {
  /// The run did what the clauses say.
  case passed
  /// The run found something else than the clauses say.
  case failed(ConformanceFailure)
  /// The backend declares that it does not offer what the case needs, and its refusals were tested.
  case refused([String])
  /// The case failed, as a deviation says.
  case deviated(reason: String)
  /// The case passed although a deviation says that it fails. Counts as a failure.
  case unexpectedPass
  /// The environment has not what the case needs, such as a second process. The report is incomplete then.
  case notRun(environment: String)

  /// The outcome's name in reports.
  public var name: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .refused: "refused"
    case .deviated: "deviated"
    case .unexpectedPass: "unexpectedPass"
    case .notRun: "notRun"
    }
  }

  /// Every name, from the best to the worst.
  public static let names = ["passed", "refused", "deviated", "notRun", "unexpectedPass", "failed"]

  /// Whether a level can be awarded with it.
  public var fulfils: Bool {
    switch self {
    case .passed, .refused: true
    default: false
    }
  }

  /// Whether the run costs the engine its level.
  public var isFailure: Bool {
    switch self {
    case .failed, .unexpectedPass: true
    default: false
    }
  }
}

/// A case in one variant, as it stands in a plan.
public struct ConformanceRun: Sendable, CustomStringConvertible {
  /// The case.
  public let testCase: ConformanceCase
  /// The variant under which the case runs.
  public let variant: ConformanceVariant

  /// Creates a run of a case in a variant.
  public init(_ testCase: ConformanceCase, _ variant: ConformanceVariant) {
    self.testCase = testCase
    self.variant = variant
  }

  /// `CRUD.delete [frozen]`; without brackets for the fresh variant.
  public var description: String { variant == .fresh ? testCase.id : "\(testCase.id) [\(variant.rawValue)]" }
}

/// What came of a run, and how long it took.
public struct ConformanceResult: Sendable {
  /// The run.
  public let run: ConformanceRun
  /// How the run ended.
  public let outcome: ConformanceOutcome
  /// The duration of the run in milliseconds.
  public let milliseconds: Double

  /// Creates the result of a run.
  public init(_ run: ConformanceRun, _ outcome: ConformanceOutcome, milliseconds: Double) {
    self.run = run
    self.outcome = outcome
    self.milliseconds = milliseconds
  }
}
