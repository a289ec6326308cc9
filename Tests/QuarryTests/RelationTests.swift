import Foundation
import Quarry
import QuarryEngines
import Testing

/// Models in a module of their own, as it were: what is private to the file is related, too.
enum Garden {
  @Model
  struct Gardener: Equatable {
    let id: String
    @Relationship(deleteRule: .nullify, originalName: "boss") var head: Ref<Gardener>?

    @Relationship(inverse: \Gardener.head) var hands: Many<Gardener>
    @Relationship(deleteRule: .cascade, inverse: \Bed.keeper) fileprivate var beds: Many<Bed>
  }

  @Model
  fileprivate struct Bed: Equatable {
    let id: Int
    var keeper: Ref<Gardener>
    var flower: String

    #Unique<Bed>([\.keeper, \.flower])
    @Relationship(inverse: \Tool.bed) var tools: Many<Tool>
  }

  @Model
  fileprivate struct Tool: Equatable {
    @Attribute(.primaryKey) let name: String
    @Relationship(deleteRule: .deny) private(set) var bed: Ref<Bed>?
  }
}

@Suite("Relations of generated models, on every engine")
struct RelationTests {
  private func withStore(_ scheme: String, _ body: (Store) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "relations-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = scheme == "memory" ? "memory:" : "\(scheme):\(folder.path)/garden"
    let store = try Store(for: Garden.Gardener.self, url: url)
    try store.write { tx in
      try tx.insert(contentsOf: [
        Garden.Gardener(id: "Ann"), Garden.Gardener(id: "Bob", head: Ref("Ann")),
        Garden.Gardener(id: "Cid", head: Ref("Ann")),
      ])
      try tx.insert(contentsOf: [
        Garden.Bed(id: 1, keeper: Ref("Bob"), flower: "rose"), Garden.Bed(id: 2, keeper: Ref("Bob"), flower: "aster"),
        Garden.Bed(id: 3, keeper: Ref("Cid"), flower: "rose"),
      ])
      try tx.insert(Garden.Tool(name: "hoe", bed: Ref(1)))
    }
    try body(store)
    try store.close()
  }

  private static let schemes = ["memory", "file", "sqlite", "lmdb"]

  @Test("Both sides are followed", arguments: schemes)
  func followed(scheme: String) throws {
    try withStore(scheme) { store in
      let ann = try #require(try store.get(Garden.Gardener.self, "Ann"))
      let bob = try #require(try store.get(Garden.Gardener.self, "Bob"))
      #expect(try store.get(bob.head) == ann)
      #expect(try store.fetch(ann.hands).map(\.id) == ["Bob", "Cid"])
      #expect(try store.fetch(bob.beds.sorted(by: \.flower)).map(\.id) == [2, 1])
      #expect(try store.fetch(bob.beds.where { $0.flower == "rose" }).map(\.id) == [1])
      #expect(try store.count(Garden.Bed.where { $0.keeper == Ref("Cid") }) == 1)
    }
  }

  @Test("Foundation's predicates compare references and their keys", arguments: schemes)
  func predicates(scheme: String) throws {
    try withStore(scheme) { store in
      func beds(_ predicate: Predicate<Garden.Bed>) throws -> [Int] {
        try store.fetch(Garden.Bed.where(predicate)).map(\.id)
      }
      func gardeners(_ predicate: Predicate<Garden.Gardener>) throws -> [String] {
        try store.fetch(Garden.Gardener.where(predicate)).map(\.id)
      }
      let (bob, ann) = (Ref<Garden.Gardener>("Bob"), Ref<Garden.Gardener>("Ann"))
      let (ofBob, ofCid) = (try beds(#Predicate { $0.keeper == bob }), try beds(#Predicate { $0.keeper.key == "Cid" }))
      #expect(ofBob == [1, 2] && ofCid == [3])
      let hands = try gardeners(#Predicate { $0.head?.key == "Ann" })
      let later = try gardeners(#Predicate { $0.head == ann && $0.id > "Bob" })
      let heads = try gardeners(#Predicate { $0.head == nil })
      #expect(hands == ["Bob", "Cid"] && later == ["Cid"] && heads == ["Ann"])
    }
  }

  @Test("Objects come with what they are related to", arguments: schemes)
  func with(scheme: String) throws {
    try withStore(scheme) { store in
      let found = try store.fetch(Garden.Gardener.all, with: \.head, \.beds)
      #expect(found.map(\.0.id) == ["Ann", "Bob", "Cid"])
      #expect(found.map(\.1?.id) == [nil, "Ann", "Ann"])
      #expect(found.map { $0.2.map(\.id) } == [[], [1, 2], [3]])
    }
  }

  @Test("A reference to nothing is refused", arguments: schemes)
  func missing(scheme: String) throws {
    try withStore(scheme) { store in
      let error = #expect(throws: StorageError.self) {
        try store.insert(Garden.Bed(id: 4, keeper: Ref("Dan"), flower: "iris"))
      }
      #expect(error?.code == .missingReference)
      #expect(error?.property == "keeper")
      let count = try store.count(Garden.Bed.all)
      #expect(count == 3)
    }
  }

  @Test("Removing follows the rules of both sides", arguments: schemes)
  func rules(scheme: String) throws {
    try withStore(scheme) { store in
      let error = #expect(throws: StorageError.self) { try store.delete(Garden.Gardener.self, "Bob") }
      #expect(error?.code == .referenced)
      #expect(try store.delete(Garden.Tool.self, "hoe"))
      #expect(try store.delete(Garden.Gardener.self, "Bob"))
      #expect(try store.fetch(Garden.Bed.all).map(\.id) == [3])
      #expect(try store.delete(Garden.Gardener.self, "Ann"))
      let cid = try #require(try store.get(Garden.Gardener.self, "Cid"))
      #expect(cid.head == nil)
      #expect(try store.check() == [])
    }
  }

  @Test("An update by a closure and an assignment set references", arguments: schemes)
  func update(scheme: String) throws {
    try withStore(scheme) { store in
      try store.update(Garden.Bed.self, 3) { $0.keeper = Ref("Ann") }
      #expect(try store.update(Garden.Bed.where { $0.flower == "aster" }) { $0.keeper = Ref("Ann") } == 1)
      let ann = try #require(try store.get(Garden.Gardener.self, "Ann"))
      #expect(try store.fetch(ann.beds).map(\.id) == [2, 3])
    }
  }
}
