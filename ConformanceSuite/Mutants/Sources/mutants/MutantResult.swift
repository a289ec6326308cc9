/// How one run of the kit with a mutant, or with none, ended.
struct Trial: Codable, Equatable {
  enum End: String, Codable {
    case passed
    /// A case failed.
    case failed
    /// The tool ended by itself.
    case crash
    /// It did not end within the time.
    case hang
    /// The kit says that the engine, or what it tells of itself, is not fit to be tested.
    case refused
    /// No code that the plan runs comes to the mutant's place: the kit was not run.
    case unreached
  }

  /// Which runs of a plan were made.
  enum Part: String, Codable {
    /// Of the quick plan the cases that come to the mutant's place and take the least time.
    case nearest
    /// Of the quick plan the cases of the clauses that a semantic fault breaks, whether or not they are known to come to it.
    case clauses
    /// The other cases that come to it.
    case near
    /// Cases on sealed stores, if they come to it only there.
    case sealed
    /// The other cases of areas in which it is reached.
    case far
    /// The whole plan, of the areas in which it is reached.
    case whole
  }

  var engine: String
  /// `quick` or `full`.
  var plan: String
  var part: Part?
  var end: End
  /// The case that failed, with its variant, and what it said.
  var failed: String?
  var message: String?
  /// Whether the case failed again when it was run alone; nil when it was not tried.
  var isRepeated: Bool?
  var seconds: Double

  /// A failure that did not come again finds nothing.
  var isFound: Bool { end != .passed && end != .unreached && isRepeated != false }

  /// The run of the kit that failed.
  var failedRun: (testCase: String, variant: String)? {
    guard let words = failed?.split(separator: " "), words.count == 2 else { return nil }
    return (String(words[0]), String(words[1]))
  }

  /// What found the mutant, in a few words.
  var finder: String {
    switch end {
    case .failed: failed ?? "a case"
    case .crash: "crash" + (failed.map { " (\($0))" } ?? "")
    case .hang: "hang" + (failed.map { " (\($0))" } ?? "")
    case .refused: "the kit's inspection"
    case .passed, .unreached: ""
    }
  }
}

/// What became of a mutant.
struct MutantResult: Codable, Equatable {
  var id: String
  var file: String
  var line: Int
  var lineText: String
  var change: String
  var trials: [Trial]
  /// The plans that were tried to their ends, or until the mutant was found.
  var tried: Set<String> = []
  /// Why the mutant changes nothing that a program can see, when somebody has argued so.
  var argument: String?
  /// The test of the package that finds the mutant, where no case of the kit can.
  var test: String?

  var finding: Trial? { trials.first(where: \.isFound) }
  var isFound: Bool { finding != nil }
  /// Whether the code was run at all by the trials.
  var isReached: Bool { trials.contains { $0.end != .unreached } }
}
