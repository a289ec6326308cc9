import BenchmarkHarness
import Foundation

/// What the child of a `ChildDataBench` is asked, a line of JSON each.
struct DataRequest: Codable {
  /// Nil to weigh the memory.
  var round: Int?
}

/// The work of one engine in a process of its own, for the reasons of the benchmark of people: heaps are not shared.
final class ChildDataBench: DataBench {
  private let process: LineProcess
  private let engine: String
  private let folder: String
  /// The seconds of silence after which it counts as hanging.
  private let patience: Double
  /// Whether it owes an answer: then it would not see that its input ends.
  private var isBusy = false

  init(_ engine: DataEngine, _ command: LineProcess.Command, folder: String, patience: Double) throws {
    self.engine = engine.name
    self.folder = folder
    self.patience = patience
    process = try LineProcess(command)
  }

  func round(_ number: Int, _ pause: () throws -> Void) throws -> DataAnswer {
    let answer = try ask(DataRequest(round: number), pause)
    guard answer.answers.count == OperationKind.allCases.count, answer.trait?.engine == engine,
      answer.figures.rounds == number
    else { throw BenchmarkError("the process of \(engine) answered without figures of the round") }
    return answer
  }

  func weigh(_ pause: () throws -> Void) throws -> DataAnswer { try ask(DataRequest(), pause) }

  func end() {
    if isBusy { process.endAtOnce() } else { process.end() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func ask(_ request: DataRequest, _ pause: () throws -> Void) throws -> DataAnswer {
    isBusy = true
    let line: Data
    do {
      try process.send(JSONEncoder().encode(request))
      line = try answer(pause)
    } catch LineProcess.Silence.ended {
      throw BenchmarkError("the process of \(engine) has ended in the middle of its work")
    } catch LineProcess.Silence.tooLong(let seconds) {
      throw BenchmarkError("the process of \(engine) has not given a sign for \(Int(seconds)) seconds")
    } catch LineProcess.Silence.endlessLine {
      throw BenchmarkError("the process of \(engine) answered what is no answer")
    }
    guard let answer = try? JSONDecoder().decode(DataAnswer.self, from: line) else {
      throw BenchmarkError("the process of \(engine) answered what is no answer")
    }
    isBusy = false
    if let failure = answer.failure { throw BenchmarkError(failure) }
    return answer
  }

  /// The first line that is not only a sign that work goes on.
  private func answer(_ pause: () throws -> Void) throws -> Data {
    while true {
      let line = try process.line(patience: patience, pause: pause)
      if !line.isEmpty { return line }
    }
  }
}

/// The child's side.
public enum DataServer {
  /// Does what is asked on the standard input until that ends, and answers on the standard output.
  ///
  /// - Parameters:
  ///   - rows: The file of the rows.
  ///   - task: In JSON.
  public static func run(_ engine: DataEngine, rows path: String, task: String, folder: String) throws {
    let bench = Result {
      let rows = try DataRows(file: path)
      let task = try JSONDecoder().decode(DataTask.self, from: Data(task.utf8))
      return LocalDataBench(engine, try task.planner(rows), folder: folder)
    }
    var lastSign = Stopwatch.now()
    try LineServer.run { line in
      try answer(line, bench) {
        guard Stopwatch.now() &- lastSign > 500_000_000 else { return }
        lastSign = Stopwatch.now()
        try LineServer.sendSign()
      }
    }
    try? bench.get().end()
  }

  /// Does what a line asks.
  ///
  /// - Returns: The line of the answer, without its end; what fails is one, too.
  static func answer(
    _ line: Data, _ bench: Result<LocalDataBench, any Error>, _ pause: () throws -> Void
  ) throws -> Data {
    var answer: DataAnswer
    do {
      let request = try JSONDecoder().decode(DataRequest.self, from: line)
      answer =
        if let number = request.round { try bench.get().round(number, pause) } else { try bench.get().weigh(pause) }
    } catch {
      answer = DataAnswer()
      answer.failure = DataSettings.words(error)?.description ?? "\(error)"
    }
    return try JSONEncoder().encode(answer)
  }
}
