import Foundation

/// Measures the memory of one engine in a process of its own: the same program, started with other arguments.
public enum MemoryProbe {
  /// What the child does: fills the store piece by piece, scans it by ranges and reads some objects.
  public static func measure(_ engine: BenchmarkEngine, size: Int, seed: UInt64, folder: String) throws
    -> MemoryFigures
  {
    let (store, figures) = try weigh {
      let store = try engine.open(folder)
      let piece = 1000
      for first in stride(from: 0, to: size, by: piece) {
        let people = (first..<min(size, first + piece)).map { Dataset.person(Int64($0 + 1), seed: seed) }
        try store.insert(people)
      }
      var count = 0
      for first in stride(from: 0, to: size, by: piece) {
        count += try store.scan(from: Int64(first + 1), count: min(piece, size - first)).count
      }
      try WrongAnswer.require(count, size, "the number of objects")
      var random = SplitMix64(seed: seed)
      let keys = (0..<10_000).map { _ in Int64(random.below(size) + 1) }
      try WrongAnswer.require(store.get(keys, .off).count, keys.count, "the number of objects read")
      return store
    }
    try store.close()
    return figures
  }

  /// Does work, and weighs what it has taken while its result is still there.
  package static func weigh<T>(_ work: () throws -> T) throws -> (result: T, figures: MemoryFigures) {
    guard let before = Machine.residentMemory() else {
      throw BenchmarkError("the memory of a process is known on Linux only")
    }
    let privateBefore = Machine.anonymousMemory() ?? 0
    // The peak is counted anew from here, where the kernel allows it.
    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    let result = try work()
    let figures = MemoryFigures(
      peakBytes: max(0, (Machine.peakMemory() ?? before) - before),
      privateBytes: max(0, (Machine.anonymousMemory() ?? 0) - privateBefore))
    return (result, figures)
  }

  /// Starts the child and reads its answer; nil where that cannot be.
  static func run(_ engine: BenchmarkEngine, size: Int, seed: UInt64, folder: String) -> MemoryFigures? {
    inChild([
      "measure-memory", engine.name, "--size", String(size), "--seed", String(seed), "--directory", folder,
    ])
  }

  /// Starts this program with other arguments and reads the figures that it prints; nil where that cannot be.
  package static func inChild(_ arguments: [String]) -> MemoryFigures? {
    #if os(Linux)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = arguments
      let output = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return nil }
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { return nil }
      return try? JSONDecoder().decode(MemoryFigures.self, from: data)
    #else
      return nil
    #endif
  }
}
