import Quarry
import QuarryManyWriters
import Testing

@Model fileprivate struct Trunk: Equatable {
  let id: Int
  var name: String
  @Relationship(inverse: \Branch.tree) var branches: Many<Branch>
  var neighbours: Links<Trunk>
}

@Model fileprivate struct Branch: Equatable {
  let id: Int
  @Relationship(deleteRule: .cascade) var tree: Ref<Trunk>
}

@Model fileprivate struct Leaf: Equatable {
  let id: Int
  @Relationship(deleteRule: .cascade) var branch: Ref<Branch>
}

/// How often each call asks a server: numbers that must not grow. The beginning and the commit are not counted.
@Suite struct RoundTripTests {
  private let provider = ManyWriterProvider()
  private let store: Store

  init() throws {
    store = try Store(for: Trunk.self, Branch.self, Leaf.self, in: provider)
    try store.insert(contentsOf: (1...3).map { Trunk(id: $0, name: "t\($0)") })
  }

  /// The calls of the body in its transactions.
  private func calls(_ body: () throws -> Void) throws -> Int {
    _ = provider.meter.take()
    try body()
    return provider.meter.take().calls
  }

  @Test func ofOneObject() throws {
    #expect(try calls { try store.insert(Trunk(id: 9, name: "t9")) } == 1)
    #expect(try calls { try store.read { tx in _ = try tx.get(Trunk.self, 1) } } == 1)
    #expect(try calls { _ = try store.getOrInsert(Trunk.self, 9) { Trunk(id: 9, name: "") } } == 1)
    #expect(try calls { _ = try store.getOrInsert(Trunk.self, 10) { Trunk(id: 10, name: "") } } <= 2)
    #expect(try calls { try store.update(Trunk(id: 9, name: "u")) } == 1)
    #expect(try calls { _ = try store.delete(Leaf.self, 1) } == 1)
    // Without a transaction.
    _ = provider.meter.take()
    #expect(try store.get(Trunk.self, 1)?.name == "t1")
    #expect(provider.meter.take().all == 1)
  }

  @Test func ofManyObjects() throws {
    #expect(try calls { _ = try store.get(Trunk.self, keys: 1...300) } == 1)
    #expect(try calls { try store.insert(contentsOf: (100..<600).map { Trunk(id: $0, name: "") }) } == 1)
    // The trees are looked up at once.
    let branches = (1...500).map { Branch(id: $0, tree: Ref(1 + $0 % 3)) }
    #expect(try calls { try store.insert(contentsOf: branches) } == 2)
  }

  @Test func ofRelations() throws {
    try store.insert(contentsOf: (1...100).map { Branch(id: $0, tree: Ref(1 + $0 % 3)) })
    #expect(try calls { _ = try store.fetch(Branch.all, with: \.tree) } == 2)
    #expect(try calls { _ = try store.fetch(Trunk.all, with: \.branches) } == 2)
  }

  @Test func ofACascade() throws {
    try store.insert(contentsOf: (1...2_500).map { Branch(id: $0, tree: Ref(1)) })
    try store.insert(contentsOf: (1...2_500).map { Leaf(id: $0, branch: Ref($0)) })
    // The tree and its links; of three batches of branches the keys, their removal, and the removal of their leaves.
    let count = try calls { try store.delete(Trunk.self, 1) }
    #expect(count == 1 + 2 + 3 * 3)
    #expect(try store.count(Leaf.all) == 0)
  }

  @Test func ofAList() throws {
    let tree = try #require(try store.get(Trunk.self, 1))
    // The last position with both references, and the link.
    #expect(try calls { try tree.neighbours.append(Ref<Trunk>(2), in: store) } == 2)
    #expect(try calls { try tree.neighbours.append(contentsOf: [Ref<Trunk>(3), Ref<Trunk>(1)], in: store) } == 2)
    #expect(try store.fetch(tree.neighbours).map(\.id) == [2, 3, 1])
  }
}
