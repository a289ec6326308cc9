import ArgumentParser
import QuarryBackend
import QuarryMemory
import QuarrySQLite
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
    options.isReadOnly = access == .reading
    options.createsIfMissing = access == .filling
    switch self {
    case .memory:
      // It is new each time, so that there is nothing to be read only or missing.
      return try Store(opening: .memory)
    case .sqlite(let path):
      return try Store(opening: .sqlite(at: path), options: options)
    }
  }
}
