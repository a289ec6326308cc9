import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDrafts

/// A store of items, poets and poems for drafts.
struct DraftStage {
  let kit: ConformanceContext
  let place: any BackendProvider
  let store: Store

  static let models: [any Model.Type] = [Item.self, Poet.self, Poem.self]

  /// A store with eight items, four poets and six poems. Poems 1 and 2 are of poet 1, and poet 2 is a pupil of poet 1.
  init(_ kit: ConformanceContext) throws {
    self.kit = kit
    place = try kit.makePlace()
    store = try kit.open(Self.models, at: place)
    try store.write { tx in
      for id in 1...4 { try tx.insert(Poet(id, "poet \(id)", teacher: id == 2 ? 1 : nil)) }
      for id in 1...6 { try tx.insert(Poem(id, "poem \(id)", poet: (id + 1) / 2)) }
      for id in 1...8 {
        try tx.insert(Item(id, rank: id % 4 == 0 ? nil : id % 3, name: "name \(id % 3)", score: Double(id) / 2))
      }
    }
  }

  func draft(undoLimit: Int = 100) -> Draft { Draft(on: store, undoLimit: undoLimit) }

  /// Everything that is stored.
  var image: StoreImage { get throws { try StoreImage(store) } }

  func item(_ id: Int) throws -> Item? { try store.get(Item.self, id) }
}

extension ConformanceCase {
  /// A case about a draft of a stage.
  static func draft(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    requiresPersistence: Bool = false, without: Set<ConformanceVariant> = [], within limit: Duration = .seconds(30),
    file: String = #fileID, line: Int = #line, _ body: @escaping @Sendable (DraftStage) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "DRAFT.\(name)", clauses, summary, needs: needs, requiresPersistence: requiresPersistence, without: without,
      within: limit, file: file, line: line
    ) { kit in try body(DraftStage(kit)) }
  }
}
