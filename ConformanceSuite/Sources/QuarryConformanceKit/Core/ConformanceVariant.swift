import QuarryBackend

/// A way to run a case that must not change what it sees. Each but the first puts a decorator before the backend, so
/// that no case knows of it.
///
/// With indexes and without them is no variant: the cases of conditions, order and aggregates bring tables that have
/// the same column both ways.
public enum ConformanceVariant: String, Sendable, Hashable, CaseIterable, Comparable, Codable {
  /// As the harness makes it.
  case fresh
  /// The store is closed and opened again between any two steps: whenever no transaction and no snapshot is open.
  ///
  /// Where nothing persists the variant is refused.
  case reopened
  /// Every write transaction does its work inside a savepoint that is released before the commit.
  case savepoint
  /// Each writing statement is done in a savepoint that is rolled back, and then done again.
  case replayed
  /// Every read goes through a snapshot of the newest state.
  case frozen
  /// Every read goes through a write transaction that is rolled back, where no writer is open.
  case insideTransaction
  /// Rows are asked for one at a time, several keys too, and the one-call read is made of begin, row and end.
  case rowByRow
  /// Each transaction lives on a thread of its own from begin to end, as in the asynchronous forms.
  case otherThread
  /// Lent rows, and lent bytes of an engine of ordered trees, are overwritten at the first moment at which they may be.
  case overwritten
  /// The store is sealed with a key, wherever it is opened.
  case encrypted

  /// All but the case as it is: for cases whose work is done by other processes, or takes long.
  package static let allButFresh = Set(allCases).subtracting([.fresh])

  /// What the backend has to offer for the variant.
  var capabilities: Set<Capability> {
    switch self {
    case .savepoint, .replayed: [.savepoints]
    case .frozen: [.snapshots]
    case .encrypted: [.openEncryption]
    default: []
    }
  }

  public static func < (left: ConformanceVariant, right: ConformanceVariant) -> Bool {
    allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
  }

  /// Opens the place behind the variant's decorator.
  func open(
    _ place: any BackendProvider, _ options: OpenOptions, _ observer: VariantObserver
  ) throws(StorageError) -> any Backend {
    switch self {
    // Places of the variant `encrypted` have their key from the harness.
    case .fresh, .encrypted: try place.open(options)
    case .reopened: try ReopeningBackend(place, options)
    case .savepoint: SavepointBackend(try place.open(options))
    case .replayed: ReplayingBackend(try place.open(options), observer)
    case .frozen: SnapshotReadingBackend(try place.open(options))
    case .insideTransaction: WriterReadingBackend(try place.open(options))
    case .rowByRow: RowByRowBackend(try place.open(options))
    case .otherThread: OtherThreadBackend(try place.open(options))
    case .overwritten: try OverwritingBackend.open(place, options)
    }
  }
}
