public import BenchmarkHarness
import Foundation

/// Measures the memory of one engine with the user's data, in a process that does nothing else.
public enum DataMemory {
  /// What the child does: reads the data, fills a store, and reads every row.
  ///
  /// - Returns: What the store takes above the data themselves.
  public static func measure(
    _ engine: DataEngine, _ source: DataSource, _ selection: DataSelection, folder: String
  ) throws -> MemoryFigures {
    let rows = try DataLoader(selection: selection, approve: { _, _, _ in }, progress: { _, _ in }).read(source)
    let (store, figures) = try MemoryProbe.weigh {
      let store = DataStore(engine, rows, folder: folder)
      _ = try store.load(Array(0..<rows.count)) {}
      // Opened again where it can be: what filling left behind is no part of a store in use.
      _ = try store.reopen(reading: 0)
      guard try store.state().rows == rows.count else { throw WrongAnswer("a row is missing") }
      return store
    }
    try store.remove()
    return figures
  }

  /// Starts the child and reads its answer; nil where that cannot be.
  static func run(_ settings: DataSettings, _ engine: DataEngine) -> MemoryFigures? {
    guard let arguments = settings.memoryArguments else { return nil }
    let folder = settings.folder + "/memory"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    guard (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)) != nil else {
      return nil
    }
    return MemoryProbe.inChild(arguments(engine.name, folder))
  }
}
