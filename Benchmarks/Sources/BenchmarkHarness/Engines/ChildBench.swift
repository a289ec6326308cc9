import Foundation

/// What the child of a `ChildBench` is asked, a line of JSON each.
struct WorkRequest: Codable {
  /// Nil for the fill.
  var workload: String?
  var round = 0
  var recordsLatency = false
}

/// What it answers, a line of JSON each.
struct WorkAnswer: Codable {
  var bytes: Int?
  var figures: RoundFigures?
  /// Why there is no result.
  var failure: String?
}

/// The work of one engine in a process of its own: this program, started with other arguments.
///
/// Engines in one process would share its heap. Where one has left many small holes in it, another's strings come to
/// lie in these, and reading from SQLite took up to twice as long beside a store in memory as it does by itself.
final class ChildBench: Bench {
  private let process: LineProcess
  private let engine: BenchmarkEngine
  private let folder: String

  init(_ engine: BenchmarkEngine, size: Int, seed: UInt64, effort: Effort, folder: String) throws {
    self.engine = engine
    self.folder = folder
    process = try LineProcess(
      .init([
        "measure-engine", engine.name, "--size", String(size), "--seed", String(seed), "--directory", folder,
        "--effort", String(decoding: try JSONEncoder().encode(effort), as: UTF8.self),
      ]))
  }

  func fill() throws -> Int? { try ask(WorkRequest()).bytes }

  func round(_ workload: Workload, _ round: Int, recordsLatency: Bool) throws -> RoundFigures {
    let answer = try ask(WorkRequest(workload: workload.id, round: round, recordsLatency: recordsLatency))
    guard let figures = answer.figures else { throw BenchmarkError("\(engine.name) answered without figures") }
    return figures
  }

  func end() throws {
    process.end()
    // Unless it has ended in the middle of its work, it has removed its stores.
    try engine.remove(folder: folder)
  }

  private func ask(_ request: WorkRequest) throws -> WorkAnswer {
    let text = Result {
      try process.send(JSONEncoder().encode(request))
      return try process.line()
    }
    guard let answer = try? JSONDecoder().decode(WorkAnswer.self, from: text.get()) else {
      throw BenchmarkError("the process of \(engine.name) has ended in the middle of its work")
    }
    if let failure = answer.failure { throw BenchmarkError(failure) }
    return answer
  }
}

/// The child's side.
public enum EngineServer {
  /// Does what is asked on the standard input until that ends, and answers on the standard output.
  ///
  /// - Parameter effort: In JSON.
  public static func run(
    _ engine: BenchmarkEngine, size: Int, seed: UInt64, effort: String, folder: String
  ) throws {
    let effort = try JSONDecoder().decode(Effort.self, from: Data(effort.utf8))
    let bench = LocalBench(engine, Dataset(seed: seed, count: size), effort, folder: folder)
    try LineServer.run { try answer($0, bench) }
    try bench.end()
  }

  /// Does what a line asks.
  ///
  /// - Returns: The line of the answer, without its end; what fails is one, too.
  static func answer(_ line: Data, _ bench: any Bench) throws -> Data {
    var answer = WorkAnswer()
    do {
      let request = try JSONDecoder().decode(WorkRequest.self, from: line)
      if let id = request.workload {
        guard let workload = Workload.named(id) else { throw BenchmarkError("no workload is called \(id)") }
        answer.figures = try bench.round(workload, request.round, recordsLatency: request.recordsLatency)
      } else {
        answer.bytes = try bench.fill()
      }
    } catch {
      answer.failure = "\(error)"
    }
    return try JSONEncoder().encode(answer)
  }
}
