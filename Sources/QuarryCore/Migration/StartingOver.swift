import Foundation
import QuarryBackend

/// Opens a store, and puts aside one that cannot be migrated to the models.
///
/// If several processes do this at once, each sees that another has the store open and closes its own. After a delay that differs
/// for each it tries again, until one was alone. The others then find the new store.
struct StartingOver {
  let way: MigrationRequest
  let provider: any BackendProvider
  let options: OpenOptions

  /// - Throws: `inUse` when the old store stays open elsewhere for longer than the busy timeout; the errors of opening.
  func run() throws -> OpenedStore {
    let deadline = Deadline(after: options.busyTimeout)
    var options = options
    var place: String?
    while true {
      let backend: any Backend
      do throws(StorageError) {
        backend = try provider.open(options)
      } catch {
        guard let place else { throw error }
        // Another process created the new store first, and may be done with it soon.
        guard error.code == .inUse, !deadline.hasPassed else { throw error.afterQuarantine(at: place) }
        Self.pause()
        continue
      }
      do {
        var opened = try OpenedStore.open(way, on: backend, options)
        opened.report.quarantine = place
        return opened
      } catch {
        defer { try? backend.close() }
        guard let error = error as? StorageError else { throw error }
        if let place { throw error.afterQuarantine(at: place) }
        guard error.code == .schemaMismatch else { throw error }
        do throws(StorageError) {
          // The new store keeps a history where the old one did.
          if options.history == nil {
            options.history = try HistoryOption(of: backend, among: way.names)
          }
          place = try backend.requireQuarantining().quarantine()
        } catch {
          guard error.code == .inUse, !deadline.hasPassed else { throw error }
        }
      }
      if place == nil { Self.pause() }
      // There was a store, which another process may have put aside in the meantime.
      options.createsIfMissing = true
    }
  }

  /// Varies, so that processes that collided do not collide again.
  private static func pause() { Thread.sleep(forTimeInterval: .random(in: 0.001...0.03)) }
}

extension StorageError {
  /// The error of an opening that has put a store aside: no other result names the place of that store.
  fileprivate func afterQuarantine(at place: String) -> StorageError {
    StorageError(
      code, "\(message); the store that was here before is kept as \(place)", model: model, property: property,
      key: key, cause: self)
  }
}
