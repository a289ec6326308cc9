import Foundation
import QuarryBackend

extension CrashLaboratory {
  // MARK: Failing operations

  /// How an operation fails.
  package struct Failure: Equatable, CustomStringConvertible {
    let operation: Int
    let error: Int32
    let goesOn: Bool

    private static let names: [(error: Int32, name: String)] = [
      (EIO, "EIO"), (ENOSPC, "ENOSPC"), (EINTR, "EINTR"), (EMFILE, "EMFILE"), (CrashLab.short, "short"),
    ]

    init(operation: Int, error: Int32, goesOn: Bool) {
      (self.operation, self.error, self.goesOn) = (operation, error, goesOn)
    }

    /// `17 EIO once`, which ``init(_:)`` reads.
    package var description: String {
      "\(operation) \(Self.names.first { $0.error == error }?.name ?? "") \(goesOn ? "on" : "once")"
    }

    /// Nil for a text that says none.
    init?(_ text: String) {
      let words = text.split(separator: " ")
      guard words.count == 3, let operation = Int(words[0]),
        let error = Self.names.first(where: { $0.name == words[1] })?.error
      else { return nil }
      self.init(operation: operation, error: error, goesOn: words[2] == "on")
    }
  }

  /// The ways in which the operations of a workload can fail. An interruption that comes for ever is none: who repeats what
  /// was interrupted is right.
  package func failures(of recording: FileRecording) -> [Failure] {
    var failures: [Failure] = []
    for operation in recording.operations {
      var errors: [Int32] = [EIO]
      if case .mark = operation.kind { continue }
      if operation.isOpening { errors += [EMFILE, EINTR] }
      switch operation.kind {
      case .write: errors += [ENOSPC, EINTR, CrashLab.short]
      case .read: errors += operation.isOpening ? [] : [EINTR, CrashLab.short]
      case .create, .createNameless, .truncate, .allocate, .sync, .makeFolder, .link, .rename: errors += [ENOSPC]
      default: break
      }
      for error in errors {
        failures.append(Failure(operation: operation.number, error: error, goesOn: false))
        if error == EIO || error == ENOSPC || error == EMFILE {
          failures.append(Failure(operation: operation.number, error: error, goesOn: true))
        }
      }
    }
    return failures
  }

  /// Each way in which one operation of a workload's steps that changes a file, or brings it to the disk, fails once.
  package func singleFailures(of recording: FileRecording) -> [Failure] {
    let operations = recording.operations
    let isOfStep = operations.indices.map { place in
      recording.lastMark("begin ", before: place) != recording.lastMark("done ", before: place)
    }
    return zip(operations, isOfStep).compactMap { operation, isOfStep in
      guard isOfStep else { return nil }
      switch operation.kind {
      case .write, .truncate, .allocate, .sync: return Failure(operation: operation.number, error: EIO, goesOn: false)
      default: return nil
      }
    }
  }

  /// Lets one operation of a workload fail, and looks at what is left.
  ///
  /// - Parameter mayStay: Whether a step that failed may have been done.
  /// - Returns: What was wrong, or nil.
  package func fail(_ workload: LabWorkload, _ failure: Failure, mayStay: Bool = true) throws -> Finding? {
    let image = try beginning(workload)
    try work.reset(to: image)
    tally.failures += 1
    func finding(_ message: String) -> Finding {
      Finding(workload: workload, trail: ["\(failure)"], message: message)
    }
    let answer: String
    do {
      _ = try work.ask(
        "lab-fail \(failure.operation) \(failure.error) \(failure.goesOn ? "on" : "once") \(work.folder)")
      answer = try work.ask("lab-run powerLoss \(workload)")
      _ = try work.ask("lab-end")
    } catch let failure as ConformanceFailure {
      work.end()
      return finding(failure.message)
    }
    // The process keeps nothing that the next one could be asked about: what is left is in the files.
    let results = answer.split(separator: " ").map(String.init)
    if results.contains(where: { $0 != "ok" }) { work.end() }
    if let foreign = results.first(where: { $0.contains("foreign:") }) { return finding("an error of \(foreign)") }
    var allowed: [LabContent] = [workload.isFilled ? .filled : LabContent()]
    var steps = results.filter { !$0.contains(":") && $0 != "nothing" }
    if !workload.isFilled {
      var made = LabContent()
      made.rows = [:]
      let isMade = steps.isEmpty ? false : steps.removeFirst() == "ok"
      allowed = isMade ? [made] : [LabContent(), made]
    }
    try expectEqual(steps.count, workload.steps.count, "the results of \(workload): \(answer)")
    for (place, step) in workload.steps.enumerated() {
      let changed = allowed.map { content in
        var content = content
        content.apply(step, workload.rounds[place])
        return content
      }
      // A store that could not be made is made by the next step.
      if step == .crowd, steps[place] != "ok" {
        // `io/5`: the writes that have returned.
        let acknowledged = steps[place].split(separator: "/").dropFirst().first.flatMap { Int($0) } ?? 0
        allowed = allowed.flatMap { content in
          var made = content
          made.rows = content.rows ?? [:]
          return (content.rows == nil && acknowledged == 0 ? [content] : [])
            + made.contents(inCrowd: workload.rounds[place], acknowledged: acknowledged)
        }
      } else {
        allowed = steps[place] == "ok" ? changed : mayStay ? allowed + changed : allowed
      }
    }
    let left = try FileImage.read(work.folder).image
    switch try see(left, copies: workload.copies) {
    case .wrong(let message): return finding("\(answer): \(message)")
    case .content(let seal):
      let seals = allowed.map { $0.seal(copies: workload.copies) }
      guard !seals.contains(seal) else { return nil }
      return finding("\(answer): it has \(seal); allowed is \(Set(seals).sorted().joined(separator: " or "))")
    }
  }
}
