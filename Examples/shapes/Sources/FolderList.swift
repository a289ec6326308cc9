import Foundation
import Observation
import Quarry

/// The seventh shape: a list with sections, which follows the store by itself.
@MainActor @Observable
final class FolderList {
  struct Folder: Identifiable, Equatable {
    let id: String
    let titles: [String]
  }

  /// The least number of stars of the notes that are listed.
  private(set) var leastStars = 0
  private var live: LiveSections<String, Note>
  private let store: Store

  init(_ store: Store) throws {
    self.store = store
    live = try Self.sections(of: store, 0)
  }

  /// A view that reads it is drawn again after each commit that changes it.
  var folders: [Folder] {
    live.sections.map { Folder(id: $0.key, titles: $0.elements.map(\.title)) }
  }

  /// Lists other notes. The old list stays if that fails.
  func show(leastStars: Int) throws {
    live = try Self.sections(of: store, leastStars)
    self.leastStars = leastStars
  }

  /// Waits for the commits that ended before the call, for tests.
  func settled() async throws { try await live.settled() }

  private static func sections(of store: Store, _ stars: Int) throws -> LiveSections<String, Note> {
    try store.live(Note.where { $0.stars >= stars }.sorted(by: \.title), sectionedBy: \.folder)
  }
}
