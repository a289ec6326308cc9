import QuarryBackend

/// Which cases of the suite are run, and how.
public struct ConformanceSelection: Sendable {
  /// The highest level to run.
  public var level: ConformanceLevel = .durable
  /// Only these areas; nil for all.
  public var areas: Set<String>?
  /// Only cases with these ids; nil for all.
  public var cases: Set<String>?
  /// The variants to run.
  public var variants: Set<ConformanceVariant> = Set(ConformanceVariant.allCases)
  /// Runs each case fresh, and one in four in one more variant; its name chooses both.
  public var isQuick = false
  /// Is mixed into the seeds of the random cases.
  public var seed: UInt64 = 0
  /// How many processes each case that kills processes kills; nil for 25, or 3 in a quick run.
  public var killCount: Int?
  /// How many cases run at once.
  public var jobs = 1
  /// Every case's time limit is multiplied by this.
  public var patience = 1
  /// Whether no further case is begun after one that failed. The run is not complete then.
  public var stopsAtFirstFailure = false

  /// Creates the selection of all cases in all variants.
  public init() {}

  var kills: Int { max(1, killCount ?? (isQuick ? 3 : 25)) }

  /// Whether cases or variants of the levels that are run are left out, so that no level can be awarded.
  var isPartial: Bool {
    areas != nil || cases != nil || isQuick || variants != Set(ConformanceVariant.allCases)
  }
}

extension ConformanceSelection {
  /// The options of the command line that choose the same, each with a space before it; empty for the whole suite.
  var options: String {
    var options = level == .durable ? "" : " --level \(level)"
    for area in (areas ?? []).sorted() { options += " --area \(area)" }
    for id in (cases ?? []).sorted() { options += " --case \(id)" }
    if variants != Set(ConformanceVariant.allCases) {
      for variant in variants.sorted() { options += " --variant \(variant.rawValue)" }
    }
    if isQuick { options += " --quick" }
    if seed != 0 { options += " --seed \(seed)" }
    return options
  }
}

/// What is going to be run, in order.
public struct ConformancePlan: Sendable {
  /// The runs in their order.
  public let runs: [ConformanceRun]
  /// CRC-32C of the lines "id variant", in hexadecimal: tells two plans apart, and is no protection against a forged one.
  public let hash: String

  /// Creates the plan of the selected cases.
  public init(_ cases: [ConformanceCase], _ selection: ConformanceSelection) {
    var runs: [ConformanceRun] = []
    for testCase in cases where selection.includes(testCase) {
      let variants = testCase.variants.intersection(selection.variants).sorted()
      if selection.isQuick {
        runs += Self.few(testCase, variants).map { ConformanceRun(testCase, $0) }
      } else {
        runs += variants.map { ConformanceRun(testCase, $0) }
      }
    }
    self.runs = runs.sorted {
      ($0.testCase.id, $0.variant.rawValue) < ($1.testCase.id, $1.variant.rawValue)
    }
    let text = self.runs.map { "\($0.testCase.id) \($0.variant.rawValue)\n" }.joined()
    let checksum = Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) }
    let digits = String(checksum, radix: 16)
    hash = String(repeating: "0", count: 8 - digits.utf8.count) + digits
  }

  /// The number of runs.
  public var count: Int { runs.count }

  /// The first variant, and one case in four in another that its name chooses.
  private static func few(_ testCase: ConformanceCase, _ variants: [ConformanceVariant]) -> [ConformanceVariant] {
    guard let first = variants.first else { return [] }
    let number = Int(Array(testCase.id.utf8).withUnsafeBytes { CRC32C.checksum($0) })
    let others = variants.dropFirst()
    guard number % 4 == 0, !others.isEmpty else { return [first] }
    return [first, others[others.startIndex + number / 4 % others.count]]
  }
}

extension ConformanceSelection {
  func includes(_ testCase: ConformanceCase) -> Bool {
    testCase.level <= level && areas?.contains(testCase.area.name) ?? true && cases?.contains(testCase.id) ?? true
  }
}
