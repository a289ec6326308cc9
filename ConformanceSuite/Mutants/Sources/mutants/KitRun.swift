import Foundation

/// One run of the kit by the tool that was built with the mutants, in a process and a folder of its own.
struct KitRun {
  let tool: String
  let engine: String
  /// `quick` or `full`.
  let plan: String
  /// How many cases run at once in the process.
  let jobs: Int
  /// Every case's time limit is multiplied by this: only what hangs is to end so, on a busy machine too.
  static let patience = 6

  /// - Parameters:
  ///   - mutant: The number of the mutant that is live, or nil.
  ///   - cases: Only these, if there are any.
  ///   - options: More options of the tool's command, with `--quick` where the plan is the quick one.
  ///   - reached: A file that notes which mutants' places were reached.
  func run(
    mutant: Int?, cases: [String] = [], options: [String] = [], within limits: Program.Limits,
    reached: String? = nil
  ) throws -> Trial {
    try outcome(mutant, cases, options, limits, reached).trial
  }

  /// The clauses of every case of the quick plan and of losses of power, those that the engine refuses too.
  func clauses() throws -> [String: [String]] {
    let options = ["--quick", "--level", "L4"]
    let (trial, report) = try outcome(nil, [], options, Program.Limits(clock: 3600), nil)
    // A run that ended early does not have all cases.
    guard trial.end == .passed, let report else {
      throw Problem(
        "without a mutant the kit does not pass on \(engine): \(trial.finder): \(trial.message ?? "no message")")
    }
    return Dictionary(report.runs.map { ($0.id, $0.clauses) }, uniquingKeysWith: { first, _ in first })
  }

  private func outcome(
    _ mutant: Int?, _ cases: [String], _ options: [String], _ limits: Program.Limits, _ reached: String?
  ) throws -> (trial: Trial, report: Report?) {
    let folder = RunningPrograms.folder.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let json = folder.appending(path: "report.json")
    var command = [tool, engine, "--fail-fast", "--jobs", "\(jobs)", "--patience", "\(Self.patience)"]
    command += ["--force", "--json", json.path] + options
    if !cases.isEmpty {
      let list = folder.appending(path: "cases")
      try Data(cases.joined(separator: "\n").utf8).write(to: list)
      command += ["--cases-in", list.path]
    }
    var program = Program(command: command)
    program.environment["TMPDIR"] = folder.path
    // A crash is an answer here, and its backtrace would take longer than the run.
    program.environment["SWIFT_BACKTRACE"] = "enable=no"
    if let mutant { program.environment["QUARRY_MUTANT"] = "\(mutant)" }
    if let reached { program.environment["QUARRY_MUTANTS_REACHED"] = reached }
    let start = Date()
    let output = folder.appending(path: "output").path
    let end = try program.run(output: output, within: limits)
    var trial = Trial(
      engine: engine, plan: plan, end: .passed, seconds: (Date().timeIntervalSince(start) * 10).rounded() / 10)
    let report = try? JSONDecoder().decode(Report.self, from: Data(contentsOf: json))
    let failure = report?.runs.first { $0.outcome == "failed" || $0.outcome == "unexpectedPass" }
    trial.failed = failure.map { "\($0.id) \($0.variant)" }
    trial.message = (failure?.message).map { String($0.prefix(600)) }
    switch end {
    case .exit(0), .exit(2): break
    case .exit(1): trial.end = failure?.message?.hasPrefix("hung: ") == true ? .hang : .failed
    case .exit(3):
      trial.end = .refused
      trial.message = report?.problems.first
    case .overdue: trial.end = .hang
    case .exit, .signal:
      trial.end = .crash
      trial.message = Self.lastWords(output)
    }
    if report == nil, trial.end == .passed { throw Problem("\(command.joined(separator: " ")) wrote no report") }
    return (trial, report)
  }

  /// The line of a program's output that tells of its end.
  private static func lastWords(_ output: String) -> String? {
    guard let text = try? String(contentsOfFile: output, encoding: .utf8) else { return nil }
    let lines = text.split(separator: "\n")
    let telling = lines.first { $0.contains("Fatal error") || $0.contains("Crash") } ?? lines.last
    return telling.map { String($0.prefix(300)) }
  }

  /// What is needed of the kit's report.
  private struct Report: Decodable {
    struct Run: Decodable {
      var id: String
      var variant: String
      var clauses: [String]
      var outcome: String
      var message: String?
    }
    var runs: [Run]
    var problems: [String]
  }
}
