package import QuarryBackend
package import QuarryCore

/// A store with three items, open in this process and in a second one.
package struct ProcessScene {
  package let kit: ConformanceContext
  package let place: any BackendProvider
  package let store: Store
  package let child: SecondProcess

  init(_ kit: ConformanceContext) throws {
    self.kit = kit
    place = try kit.makePlace()
    store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: (1...3).map { Item($0, rank: $0, name: "old") })
    child = try kit.secondProcess(at: place, "open item")
  }

  package func ids() throws -> [Int] { try store.keys(Item.all) }
}

extension ConformanceCase {
  /// A case in which a second process has the store open, too.
  package static func shared(
    _ id: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    without: Set<ConformanceVariant> = [.savepoint, .replayed], within limit: Duration = .seconds(20),
    file: String = #fileID, line: Int = #line, _ body: @escaping @Sendable (ProcessScene) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      id, clauses, summary, needs: needs.union([.multipleProcesses]), requiresPersistence: true,
      requiresSecondProcess: true, without: without, within: limit, file: file, line: line
    ) { try body(try ProcessScene($0)) }
  }

  /// A case in which processes meet, on every engine that persists and in one variant.
  package static func processes(
    _ id: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    within limit: Duration = .seconds(60), file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      id, clauses, summary, needs: needs, requiresPersistence: true, requiresSecondProcess: true,
      without: ConformanceVariant.allButFresh, within: limit, file: file, line: line, body)
  }
}
