extension CrashLaboratory {
  /// What a disk has that has kept nothing but what was brought to it, when a process has done the commands and has its store
  /// open still.
  ///
  /// - Parameter image: What was in the folder before, on the disk; nil for nothing.
  package func leftOnDisk(from image: FileImage? = nil, after commands: [String]) throws -> FileImage {
    var done = 0
    let recording = try withRecord(image) {
      for command in commands { _ = try work.ask(command) }
      done = try unwrap(Int(try work.ask("operations")), "a number of operations")
      // A store that is open has maps of files, of which a record does not tell.
      _ = try work.ask("close")
    }
    work.end()
    let point = recording.operations.firstIndex { $0.number > done } ?? recording.operations.count
    return recording.image(CrashState(point: point, parts: [:]))
  }
}
