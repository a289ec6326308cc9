public import QuarryBackend

/// What a second process does for the kit.
public enum ConformanceChild {
  /// Does a task of the kit at the place: called by the program that ``ConformanceHarness/secondProcess`` starts.
  ///
  /// - Parameter task: The arguments that the kit gave to ``ConformanceProcess/command``.
  /// - Returns: The process's exit code.
  public static func run(_ task: [String], at place: any BackendProvider) -> Int32 {
    guard let name = task.first, let work = tasks[name] else { return 64 }
    do {
      try work(place, Array(task.dropFirst()))
      return 0
    } catch {
      return 1
    }
  }

  /// The tasks by name. Cases in which processes meet add theirs here.
  static let tasks: [String: @Sendable (any BackendProvider, [String]) throws -> Void] = [
    "open": { place, _ in try place.open(OpenOptions()).close() }
  ]
}
