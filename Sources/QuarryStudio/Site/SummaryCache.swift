import QuarryBackend
import QuarryCore
import QuarryInspect
import Synchronization

/// The models with their counts and sizes, as of one state of the store: an engine may read all pages of its file for the sizes.
final class SummaryCache: Sendable {
  private let newest = Mutex<(version: CommitVersion, models: [ModelSummary])?>(nil)

  /// The models of the newest state.
  func models(of inspector: StoreInspector) throws -> [ModelSummary] {
    // A commit after the version is read makes the next page read the models again.
    let version = try inspector.store.read { tx in try tx.version }
    if let newest = newest.withLock({ $0 }), newest.version == version { return newest.models }
    let models = try inspector.models()
    newest.withLock { $0 = (version, models) }
    return models
  }
}
