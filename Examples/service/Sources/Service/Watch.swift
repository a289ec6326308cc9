import Foundation
import Quarry

/// An observer of all transfers in a process of its own: `service watch`. At SIGTERM it prints what it has seen.
enum Watch {
  static func run(_ store: Store) async throws {
    let ending = DispatchSource.makeSignalSource(signal: SIGTERM)
    signal(SIGTERM, SIG_IGN)
    let watching = Task { try await follow(store) }
    ending.setEventHandler { watching.cancel() }
    ending.resume()
    FileHandle.standardOutput.write(Data("watching\n".utf8))
    let (transfers, deliveries, beginnings) = try await watching.value
    print("the observer has \(transfers) transfers after \(deliveries) changes, and began \(beginnings) times")
  }

  /// Applies each change to a list of its own, and begins again after an error, as when no server can be reached for long.
  private static func follow(_ store: Store) async throws -> (transfers: Int, deliveries: Int, beginnings: Int) {
    var shown: [Transfer] = []
    var deliveries = 0
    var beginnings = 0
    while !Task.isCancelled {
      beginnings += 1
      do {
        for try await change in store.changes(of: Transfer.all) {
          shown = change.isInitial ? change.objects : change.applied(to: shown)
          deliveries += 1
          guard shown == change.objects else { throw StorageError(.corrupt, "the changes do not lead to the list") }
        }
      } catch let error as StorageError where error.code != .corrupt {
        FileHandle.standardError.write(Data("observing ended: \(error)\n".utf8))
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
    return (Set(shown.map(\.id)).count, deliveries, beginnings)
  }
}
