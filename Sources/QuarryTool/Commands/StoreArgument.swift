import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryMemory
import QuarrySQLite

/// The store that a command works on.
struct StoreArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The store: memory: or sqlite:PATH.", valueName: "url"),
    transform: { try StoreURL(parsing: $0) })
  var url: StoreURL
}

extension StoreURL {
  /// What a command is going to do with the store.
  enum Access {
    case reading
    case changing
    /// Makes the store when it is not there.
    case filling
  }

  /// Opens the store with the models that it has.
  func open(_ access: Access) throws -> Store {
    var options = OpenOptions()
    options.createsIfMissing = access == .filling
    switch self {
    case .memory:
      // It is new each time, so that there is nothing to be read only or missing.
      return try Store(opening: .memory)
    case .sqlite(let path):
      return try Self.openDatabase(path, options, isReading: access == .reading)
    }
  }

  /// Reading opens like writing where the file allows it, because only then SQLite takes part in the log of other
  /// processes, whose commits would make a reader that stands outside of it begin again.
  private static func openDatabase(
    _ path: String, _ options: OpenOptions, isReading: Bool
  ) throws(StorageError) -> Store {
    do throws(StorageError) {
      return try Store(opening: .sqlite(at: path), options: options)
    } catch {
      guard isReading, error.code == .readOnly || error.code == .io else { throw error }
    }
    var readOnly = options
    readOnly.isReadOnly = true
    return try Store(opening: .sqlite(at: path), options: readOnly)
  }
}
