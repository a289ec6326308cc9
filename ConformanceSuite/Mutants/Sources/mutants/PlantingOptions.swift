import ArgumentParser
import Foundation

/// Options of every command that plants changes in a copy of the sources and runs the kit on them.
struct PlantingOptions: ParsableArguments {
  @Flag(help: "Tries what the quick plan does not find with the whole plan.")
  var full = false
  @Flag(help: "Forgets what earlier runs found.")
  var fresh = false
  @Flag(help: "Writes the report of what is known, and ends; nothing is built or run.")
  var report = false
  @Flag(help: "Builds the copy without optimization, which is sooner done; every run of the kit takes longer.")
  var unoptimized = false
  @Option(help: "How many runs of the kit at once; one for each processor when it is left out.")
  var jobs: Int?
  @Option(help: "How many cases run at once in each run of the kit.")
  var kitJobs = 2
  @Option(help: ArgumentHelp("Where the copy is built.", valueName: "folder"))
  var folder: String?
  @Option(help: .hidden)
  var root: String = FileManager.default.currentDirectoryPath

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs is at least 1") }
    if kitJobs < 1 { throw ValidationError("--kit-jobs is at least 1") }
  }

  /// The repository.
  var rootFolder: URL { URL(fileURLWithPath: root) }

  /// The folder in which the copy is built and results are kept.
  ///
  /// - Parameter name: Its name in the repository where no folder was given.
  func buildFolder(_ name: String) -> URL {
    folder.map { URL(fileURLWithPath: $0) } ?? rootFolder.appending(path: name)
  }

  /// How many runs of the kit run at once.
  var runs: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount }

  /// The file of the results so far; removes it where they are to be forgotten.
  func stateFile(in folder: URL) -> URL {
    let file = folder.appending(path: "state.json")
    if fresh { try? FileManager.default.removeItem(at: file) }
    return file
  }

  /// Calls the body; signals end the programs that it started.
  func endingPrograms(_ body: () throws -> Void) throws {
    let signals = RunningPrograms.shared.endOnSignals()
    defer {
      for signal in signals { signal.cancel() }
      try? FileManager.default.removeItem(at: RunningPrograms.folder)
    }
    try body()
  }
}
