import Foundation
import Synchronization

/// The kit's runs without a live mutant: they must pass, and they tell which runs reach which places.
///
/// Each area is run in a process of its own, one case at a time, and what it noted is kept in files.
final class Controls: Sendable {
  private let tool: String
  private let folder: URL
  private let areas: [String]
  private let jobs: Int
  private let known = Mutex<[String: Coverage]>([:])

  /// - Parameters:
  ///   - folder: For the notes; its name is that of the build.
  ///   - jobs: How many areas are run at once.
  init(tool: String, folder: URL, areas: [String], jobs: Int) {
    self.tool = tool
    self.folder = folder
    self.areas = areas
    self.jobs = jobs
  }

  /// The names of the kit's areas, as its source has them.
  static func areas(_ sources: [String: String]) throws -> [String] {
    let file = "ConformanceSuite/Sources/QuarryConformanceKit/Core/ConformanceArea+All.swift"
    let areas = (sources[file] ?? "").matches(of: /ConformanceArea\(\s*"([A-Z]+)"/).map { String($0.output.1) }
    guard !areas.isEmpty else { throw Problem("\(file) names no area") }
    return areas
  }

  /// What the quick plan reaches on the engine. Call it once for an engine before others call it at the same time.
  func coverage(_ engine: String) throws -> Coverage {
    if let coverage = known.withLock({ $0[engine] }) { return coverage }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try concurrently(areas, jobs) { area in try self.run(engine, area) }
    var coverage = Coverage()
    for area in areas {
      let (cases, rest) = files(engine, area)
      try coverage.add(
        area: area, cases: String(contentsOf: cases, encoding: .utf8), rest: Data(contentsOf: rest))
    }
    known.withLock { [coverage] in $0[engine] = coverage }
    return coverage
  }

  private func files(_ engine: String, _ area: String) -> (cases: URL, rest: URL) {
    let name = "\(engine.replacingOccurrences(of: ":", with: "-"))-\(area)"
    return (folder.appending(path: "\(name).cases"), folder.appending(path: name))
  }

  private func run(_ engine: String, _ area: String) throws {
    let (cases, rest) = files(engine, area)
    if FileManager.default.fileExists(atPath: cases.path) { return }
    let reached = RunningPrograms.folder.appending(path: "reached-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: RunningPrograms.folder, withIntermediateDirectories: true)
    let kit = KitRun(tool: tool, engine: engine, plan: "quick", jobs: 1)
    var attempts = 0
    while true {
      for path in [reached.path, reached.path + ".cases"] { try? FileManager.default.removeItem(atPath: path) }
      let trial = try kit.run(
        mutant: nil, options: ["--quick", "--area", area], within: Program.Limits(clock: 3600), reached: reached.path)
      if trial.end == .passed { break }
      attempts += 1
      let failure = "\(area) on \(engine): \(trial.finder): \(trial.message ?? "no message")"
      guard attempts < 2 else { throw Problem("without a mutant the kit does not pass \(failure)") }
      // What fails by chance is a fault of somebody's, and told, but no reason to lose the run.
      say("warning: without a mutant the kit did not pass \(failure); it is tried again")
    }
    try? FileManager.default.removeItem(at: rest)
    try FileManager.default.copyItem(at: reached, to: rest)
    // Last, because its being there means that all is.
    try FileManager.default.copyItem(at: URL(fileURLWithPath: reached.path + ".cases"), to: cases)
  }
}

/// Does the work for each element, several at once. The first error ends it.
func concurrently<T: Sendable>(_ elements: [T], _ jobs: Int, _ work: @Sendable (T) throws -> Void) throws {
  let next = Mutex(0)
  let problem = Mutex<(any Error)?>(nil)
  DispatchQueue.concurrentPerform(iterations: max(1, min(jobs, elements.count))) { _ in
    while problem.withLock({ $0 == nil }) {
      let place = next.withLock { place in
        place += 1
        return place - 1
      }
      guard place < elements.count else { return }
      do {
        try work(elements[place])
      } catch {
        problem.withLock { $0 = error }
      }
    }
  }
  if let problem = problem.withLock({ $0 }) { throw problem }
}
