import QuarryBackend

/// A way to run a case that must not change what it sees. Each but the first puts a decorator before the backend, so
/// that no case knows of it.
///
/// With indexes and without them is no variant: the cases of conditions, order and aggregates bring tables that have
/// the same column both ways.
public enum ConformanceVariant: String, Sendable, Hashable, CaseIterable, Comparable, Codable {
  /// As the harness makes it.
  case fresh
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

  /// What the backend has to offer for the variant.
  var capabilities: Set<Capability> {
    switch self {
    case .savepoint, .replayed: [.savepoints]
    case .frozen: [.snapshots]
    default: []
    }
  }

  public static func < (left: ConformanceVariant, right: ConformanceVariant) -> Bool {
    allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
  }

  /// The backend behind the variant's decorator.
  func decorate(_ backend: any Backend, _ observer: VariantObserver) -> any Backend {
    switch self {
    case .fresh: backend
    case .savepoint: SavepointBackend(backend)
    case .replayed: ReplayingBackend(backend, observer)
    case .frozen: SnapshotReadingBackend(backend)
    case .insideTransaction: WriterReadingBackend(backend)
    case .rowByRow: RowByRowBackend(backend)
    case .otherThread: OtherThreadBackend(backend)
    }
  }
}
