import Foundation
package import QuarryBackend

/// Tries what a loss of power leaves of a store, and what becomes of one whose operations on files fail.
///
/// One process does workloads and writes its operations down, another opens what could be left of them.
package final class CrashLaboratory {
  /// What was not as it must be.
  package struct Finding: CustomStringConvertible {
    let workload: LabWorkload
    /// The states that led there: of the workload, and then of each recovery that was cut off, too; or the operation that
    /// failed.
    var trail: [String]
    let message: String
    /// The operations of the last recording.
    var operations: [String] = []

    package var description: String { "\(workload) at \(trail.joined(separator: " then ")): \(message)" }
  }

  /// What was tried.
  package struct Tally: Equatable {
    var workloads = 0
    package var states = 0
    /// States that were left of a recovery.
    var recoveries = 0
    /// Stores of which an end that could not be read was put aside.
    var tails = 0
    var failures = 0
  }

  let kit: ConformanceContext
  package var tally = Tally()
  /// Is done to each recording: a fault that a program could have had.
  var fault: LabFault?
  let work: Bench
  private let look: Bench
  var filled: FileImage?

  package init(_ kit: ConformanceContext) throws {
    self.kit = kit
    work = try Bench(kit)
    look = try Bench(kit)
  }

  /// The steps that the engine offers.
  package var steps: [LabStep] {
    let offered = kit.manifest.capabilities.filter { $0.value.isSupported }
    return LabStep.allCases.filter { step in
      switch step {
      case .compaction: offered[.compact] != nil
      case .backup: offered[.backup] != nil
      case .rekey: kit.variant == .encrypted
      case .savepoint: offered[.savepoints] != nil
      case .history, .trim: offered[.captureRows] != nil
      default: true
      }
    }
  }

  // MARK: Processes

  /// A place, its folder, and a process there that is begun anew before its time is over.
  package final class Bench {
    let place: any BackendProvider
    let folder: String
    private let kit: ConformanceContext
    private var process: (child: SecondProcess, start: ContinuousClock.Instant)?

    init(_ kit: ConformanceContext) throws {
      self.kit = kit
      place = try kit.makePlace()
      folder = try CrashLab.realPath(
        try unwrap(kit.harness.folder(of: kit.undecorated(place)), "the harness's folder of a place"))
    }

    func ask(_ command: String) throws -> String {
      let child = try process?.child ?? kit.observedProcess(at: place)
      if process == nil { process = (child, .now) }
      return try child.ask(command)
    }

    /// The process ends, as one that is killed.
    func end() {
      process?.child.kill()
      process = nil
    }

    /// Begins a trial. Never in the midst of one the process is another: what it has begun to write down would not go on.
    func reset(to image: FileImage?) throws {
      if let process, ContinuousClock.now - process.start > .seconds(40) { end() }
      try (image ?? FileImage()).put(in: folder)
    }
  }

  // MARK: Recording

  func beginning(_ workload: LabWorkload) throws -> FileImage? {
    guard workload.isFilled else { return nil }
    if let filled { return filled }
    try work.reset(to: nil)
    _ = try work.ask("lab-fill")
    // The process may keep something of the store that it has made.
    work.end()
    let image = try FileImage.read(work.folder).image
    filled = image
    return image
  }

  func withRecord(_ image: FileImage?, _ body: () throws -> Void) throws -> FileRecording {
    try work.reset(to: image)
    let log = work.folder + ".record"
    defer { unlink(log) }
    let start = try FileImage.read(work.folder)
    _ = try work.ask("lab-record \(log) | \(work.folder)")
    try body()
    _ = try work.ask("lab-end")
    let data = try Data(contentsOf: URL(fileURLWithPath: log))
    let recording = try FileRecording(data, folder: work.folder, start: start.image, numbers: start.numbers)
    try requireWhole(recording, try FileImage.read(work.folder).image)
    return fault.map { $0.apply(recording) } ?? recording
  }

  /// Throws where the record does not give what is in the folder: something went by QuarryCrashLab.
  private func requireWhole(_ recording: FileRecording, _ folder: FileImage) throws {
    let image = recording.image(.everything(recording, at: recording.operations.count))
    try expectEqual(
      image.paths.keys.sorted(), folder.paths.keys.sorted(), "the record's files, and those in the folder")
    let written = Set(
      recording.operations.compactMap { if case .write(let file, _, _, _) = $0.kind { file } else { nil } })
    // What is changed through a map of a file is not seen: locks and tables of readers, of which nothing is kept.
    for (path, file) in image.paths where written.contains(file) {
      let (seen, there) = (image.files[file]?.bytes ?? [], folder.paths[path].flatMap { folder.files[$0]?.bytes } ?? [])
      try expect(seen == there, "the record's \(path) is not the one in the folder")
    }
  }

  /// What a workload does to files.
  package func record(
    _ workload: LabWorkload, _ durability: BackendManifest.Durability = .powerLoss
  ) throws -> FileRecording {
    let image = try beginning(workload)
    tally.workloads += 1
    return try withRecord(image) {
      let results = try work.ask("lab-run \(durability.rawValue) \(workload)").split(separator: " ")
      try expect(
        results.allSatisfy { $0 == "ok" || $0 == "nothing" }, "\(workload) without a failing operation: \(results)")
    }
  }

  // MARK: Looking

  /// What the store and its copies have, as it is read; the message of what is wrong otherwise.
  enum Sight: Equatable {
    case content(String)
    case wrong(String)
  }

  func see(_ image: FileImage, copies: Int) throws -> Sight {
    try look.reset(to: image)
    do {
      return sight(try look.ask("lab-look \(copies)"))
    } catch let error as StorageError {
      return .wrong("\(error.code): \(error.message)")
    } catch let failure as ConformanceFailure {
      look.end()
      return .wrong(failure.message)
    }
  }

  func sight(_ answer: String) -> Sight {
    let parts = answer.components(separatedBy: " | ")
    let notes = parts.dropFirst().filter { !$0.isEmpty }
    if notes.contains("tail") { tally.tails += 1 }
    if let defect = notes.first(where: { $0 != "tail" }) { return .wrong(defect) }
    return .content(parts[0])
  }

  // MARK: Loss of power

  /// What ends, and what the store was opened for.
  package enum Crash: Equatable {
    /// The process, so that nothing is lost of what was given to the system.
    case killed(BackendManifest.Durability)
    /// The power.
    case lostPower(BackendManifest.Durability)

    var durability: BackendManifest.Durability {
      switch self {
      case .killed(let durability), .lostPower(let durability): durability
      }
    }
    var onlyKilled: Bool { if case .killed = self { true } else { false } }
  }

  /// What may be there after a crash at a moment of a recording; nil where nothing is promised.
  func allowed(
    _ recording: FileRecording, _ workload: LabWorkload, _ crash: Crash, at point: Int
  ) -> [String]? {
    let begun = recording.lastMark("begin ", before: point).flatMap { Int($0) } ?? 0
    func last(_ mark: String) -> Int { min(begun, recording.lastMark(mark, before: point).flatMap { Int($0) } ?? 0) }
    switch crash {
    case .lostPower(.powerLoss), .killed(.powerLoss), .killed(.processCrash):
      let parts = recording.marks("part \(begun) ", before: point).compactMap { Int($0) }
      return workload.seals(last("done ")...begun, acknowledged: parts.reduce(0) { $0 | 1 << $1 })
    case .killed(.none): return workload.seals(0...begun)
    case .lostPower(let durability):
      let promise = kit.harness.afterLostPower(durability)
      let kept = promise.keepsWhatWasClosed ? last("kept ") : 0
      guard promise.isCommittedState || promise.keepsWhatWasClosed && kept == begun else { return nil }
      // A copy is brought to the disk for itself, so that it may be newer than what is left of the store.
      return workload.mixedSeals(kept...begun)
    }
  }

  private func judge(_ image: FileImage, allowed: [String], copies: Int) throws -> String? {
    tally.states += 1
    switch try see(image, copies: copies) {
    case .wrong(let message): return message
    case .content(let seal):
      return allowed.contains(seal)
        ? nil : "it has \(seal); allowed is \(allowed.joined(separator: " or "))"
    }
  }

  /// Tries states of a workload that a loss of power leaves, and states of their recovery.
  ///
  /// - Parameters:
  ///   - crash: What ends; the power, of a store that was opened for that, unless told.
  ///   - count: How many states at most.
  ///   - depth: How many crashes may follow each other.
  /// - Returns: The first that was wrong, or nil.
  package func losePower(
    _ workload: LabWorkload, _ crash: Crash = .lostPower(.powerLoss), states count: Int, depth: Int = 3,
    _ random: inout SeededGenerator
  ) throws -> Finding? {
    let recording = try record(workload, crash.durability)
    return try tryStates(
      recording, workload, states: count, depth: depth, onlyKilled: crash.onlyKilled, trail: [], &random
    ) { allowed(recording, workload, crash, at: $0) }
  }

  private func tryStates(
    _ recording: FileRecording, _ workload: LabWorkload, states count: Int, depth: Int, onlyKilled: Bool,
    trail: [String], _ random: inout SeededGenerator, _ allowed: (Int) -> [String]?
  ) throws -> Finding? {
    let chooser = CrashStateChooser(recording: recording)
    var seen: Set<Int> = []
    var states: [(state: CrashState, allowed: [String])] = []
    // However few are tried: at the end, the disk has nothing but what was brought to it.
    let end = CrashState(point: recording.operations.count, parts: [:])
    var first: [(state: CrashState, allowed: [String])] = []
    if !onlyKilled, let due = allowed(end.point), seen.insert(recording.image(end).seal(due)).inserted {
      first.append((end, due))
    }
    for point in 0...recording.operations.count {
      if point > 0, case .read = recording.operations[point - 1].kind { continue }
      guard let due = allowed(point) else { continue }
      let chosen =
        onlyKilled ? [CrashState.everything(recording, at: point)] : chooser.states(at: point, &random)
      for state in chosen where seen.insert(recording.image(state).seal(due)).inserted { states.append((state, due)) }
    }
    states.shuffle(using: &random)
    states = first + states
    for (place, (state, due)) in states.prefix(count).enumerated() {
      if !trail.isEmpty { tally.recoveries += 1 }
      let trail = trail + ["\(state)"]
      let image = recording.image(state)
      if let message = try judge(image, allowed: due, copies: workload.copies) {
        return Finding(
          workload: workload, trail: trail, message: message, operations: recording.operations.map { "\($0)" })
      }
      // One in eight is opened once more, and loses its power meanwhile.
      guard depth > 1, place % 8 == 0 else { continue }
      let recovery = try withRecord(image) { _ = try work.ask("lab-recover") }
      let finding = try tryStates(
        recovery, workload, states: max(4, count / 16), depth: depth - 1, onlyKilled: onlyKilled, trail: trail, &random
      ) { Self.left(of: due, recovery, at: $0) }
      if let finding { return finding }
    }
    return nil
  }

  /// Tries one state again, of which a finding told.
  func again(_ workload: LabWorkload, _ crash: Crash, _ trail: [CrashState]) throws -> Finding? {
    var recording = try record(workload, crash.durability)
    var due = trail.first.flatMap {
      allowed(recording, workload, crash, at: min($0.point, recording.operations.count))
    }
    for (place, state) in trail.enumerated() {
      guard state.point <= recording.operations.count else { return nil }
      if place > 0 { due = due.map { Self.left(of: $0, recording, at: state.point) } }
      let image = recording.image(state)
      if place == trail.count - 1 {
        guard let message = try judge(image, allowed: due ?? [], copies: workload.copies) else { return nil }
        return Finding(
          workload: workload, trail: trail.map { "\($0)" }, message: message,
          operations: recording.operations.map { "\($0)" })
      }
      recording = try withRecord(image) { _ = try work.ask("lab-recover") }
    }
    return nil
  }

  /// What is left of what was allowed, at a moment of a recovery: once it has told what there is, that stays.
  static func left(of due: [String], _ recovery: FileRecording, at point: Int) -> [String] {
    guard let seen = recovery.lastMark("seen ", before: point) else { return due }
    return due.filter { $0 == seen || $0.hasPrefix(seen + " ") }
  }

  /// The shortest of the workloads that are left of a wrong one when steps are taken away, and is wrong, too.
  func shrunk(
    _ finding: Finding, _ crash: Crash = .lostPower(.powerLoss), states count: Int,
    _ random: inout SeededGenerator
  ) throws -> Finding {
    var best = finding
    var isShorter = true
    while isShorter {
      isShorter = false
      for place in best.workload.steps.indices {
        var shorter = best.workload
        shorter.steps.remove(at: place)
        if let found = try losePower(shorter, crash, states: count, &random) {
          best = found
          isShorter = true
          break
        }
      }
    }
    return best
  }
}
