import QuarryBackend
import QuarryCore
import Testing

@testable import QuarryKeyValue

/// Damage that is planted behind the backend's back, and mended.
@Suite struct RepairTests {
  private final class Keeper: UnreadableRowKeeper {
    var rows: [UnreadableRow] = []
    func keep(_ row: UnreadableRow) { rows.append(row) }
    func finish() {}
  }

  /// The backend of a test, which is open.
  private struct OpenProvider: BackendProvider {
    let backend: any Backend
    func open(_ options: OpenOptions) -> any Backend { backend }
  }

  private let damaged: StoreCheckTests
  private let keeper = Keeper()

  init() throws {
    damaged = try StoreCheckTests()
  }

  private func tree(_ index: String) throws -> TreeID {
    try #require(damaged.store.model.indexes.first { $0.name == index }).id
  }

  /// - Returns: What was done.
  private func expectMended(removed: Int) throws -> RepairReport {
    let report = try Store(opening: OpenProvider(backend: damaged.store.backend)).repair(keeping: keeper)
    #expect(!report.defects.isEmpty)
    #expect(report.removedRows == removed)
    #expect(report.remaining == [])
    #expect(keeper.rows.count == removed)
    #expect(try damaged.store.backend.check() == [])
    return report
  }

  @Test func entriesThatAreMissingComeBack() throws {
    damaged.engine.unplant(try tree("byYear"), damaged.engine.entries(try tree("byYear"))[2].key)
    let companion = LongKeyFormat.companion(of: try tree("byISBN"))
    damaged.engine.unplant(companion, try #require(damaged.engine.entries(companion).first).key)
    let report = try expectMended(removed: 0)
    #expect(report.actions.contains { $0.contains("byYear") })
  }

  @Test func entriesThatLeadNowhereGo() throws {
    let entry = try #require(damaged.engine.entries(try tree("byYear")).first)
    damaged.engine.plant(try tree("byYear"), entry.key + [0], entry.value)
    _ = try expectMended(removed: 0)
  }

  @Test func rowsThatCannotBeReadAreKept() throws {
    let tree = damaged.store.model.id.rawValue
    var entry = damaged.engine.entries(tree)[1]
    entry.value[0] = 9
    damaged.engine.plant(tree, entry.key, entry.value)
    _ = try expectMended(removed: 1)
    #expect(keeper.rows.first?.content == .bytes(entry.value))
    #expect(keeper.rows.first?.key == "2")
  }

  @Test func rowsUnderOtherKeysAreKept() throws {
    let tree = damaged.store.model.id.rawValue
    let entries = damaged.engine.entries(tree)
    damaged.engine.plant(tree, entries[1].key, entries[3].value)
    _ = try expectMended(removed: 1)
    #expect(keeper.rows.first?.key == "2")
    #expect(keeper.rows.first?.reason.contains("4") == true)
  }
}
