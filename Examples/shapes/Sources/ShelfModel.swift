import Foundation
import Observation
import Quarry

/// The third shape: the model of a view. The store tells nobody of changes yet, so what is shown is read again after each
/// write; the values that are shown are copies, and nothing that a view holds is ever deleted under it.
@MainActor @Observable
final class ShelfModel {
  private(set) var notes: [Note] = []
  private(set) var total = 0
  private(set) var message: String?
  var folder: String { didSet { filterChanged = true } }
  private var filterChanged = false
  private let store: Store

  init(_ store: Store, folder: String) {
    self.store = store
    self.folder = folder
  }

  func load() async {
    let folder = folder
    await showing {
      // Both from one committed state.
      (self.notes, self.total) = try await self.store.read { tx in
        let inFolder = Note.where { $0.folder == folder }.sorted(by: \.stars, order: .reverse).sorted(by: \.title)
        return (try tx.fetch(inFolder.limit(100)), try tx.count(inFolder))
      }
      self.filterChanged = false
    }
  }

  func add(_ title: String) async {
    await changing { [folder] tx in try tx.insert(Note(folder: folder, title: title)) }
  }

  func star(_ note: Note) async {
    let id = note.id
    await changing { tx in try tx.assign(Note.self, id) { $0.stars += 1 } }
  }

  func remove(_ note: Note) async {
    let id = note.id
    await changing { tx in try tx.delete(Note.self, id) }
  }

  /// Whether what is shown belongs to the folder that is chosen.
  var isCurrent: Bool { !filterChanged }

  private func changing(_ body: @Sendable @escaping (WriteTransaction) throws -> Void) async {
    await showing { try await self.store.write(body) }
    await load()
  }

  private func showing(_ work: () async throws -> Void) async {
    do {
      try await work()
      message = nil
    } catch {
      message = error.localizedDescription
    }
  }
}
