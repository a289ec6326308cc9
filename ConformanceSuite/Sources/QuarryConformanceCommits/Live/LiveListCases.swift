import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Live lists and sections that are waited for, and lists of links.
enum LiveListCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "LIVE.settled", ["LIVE-1", "OBS-15"], "What is settled has every commit that ended before.", within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      let desk = Desk()
      try await desk.open(store)
      for number in 1...12 {
        try insert(number, in: store)
        let found = try await desk.settled()
        try expectEqual(found, Desk.Content(list: number, sections: number, name: "item"))
      }
    },
    ConformanceCase(
      "LIVE.settled-beside-others", ["LIVE-1", "OBS-14"], "What is settled has the commits of other openings.",
      requiresPersistence: true, within: .seconds(60)
    ) { kit in
      let place = try kit.makePlace()
      let (store, other) = (try kit.open([Item.self], at: place), try kit.open([Item.self], at: place))
      let desk = Desk()
      try await desk.open(store)
      for number in 1...6 {
        try insert(number, in: number % 2 == 0 ? store : other)
        let found = try await desk.settled()
        try expectEqual(found, Desk.Content(list: number, sections: number, name: "item"))
      }
    },
    ConformanceCase(
      "LIVE.forwards", ["LIVE-2"], "A live list never goes back to an older state.", within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      let desk = Desk()
      try await desk.open(store)
      let writing = Task.ofCase { for number in 1...60 { try insert(number, in: store) } }
      var last = Desk.Content(list: 0, sections: 0, name: nil)
      let end = ContinuousClock.now + .seconds(Watching.patience)
      while last.list < 60 || last.sections < 60 {
        let found = try await desk.content
        try expect(found.list >= last.list && found.sections >= last.sections, "\(found) after \(last)")
        try expect(ContinuousClock.now < end, "the list is \(found)")
        last = found
        // The writer and its server need the processor, too.
        try await Task.sleep(for: .milliseconds(1))
      }
      try await writing.value
    },
    ConformanceCase(
      "LIVE.links", ["LIVE-5"], "A list of links is observed in its order, in which an object may come twice."
    ) { kit in
      let store = try kit.store(Album.self, Song.self)
      try store.insert(contentsOf: ["a", "b", "c"].map { Song($0, 1) })
      try store.insert(contentsOf: [Album(1), Album(2)])
      let links = Album(1).played
      let changes = Pulled(store.changes(of: links))
      var list = try unwrap(try changes.next()).objects
      try expect(list.isEmpty)
      let writes: [@Sendable (WriteTransaction) throws -> Void] = [
        { try links.append(contentsOf: [Ref("c"), Ref("a"), Ref("c")], in: $0) },
        { try links.move(from: 1, to: 0, in: $0) },
        { try $0.assign(Song.self, "c") { $0.seconds = 2 } }, { try links.insert(Ref("b"), at: 1, in: $0) },
        { try links.move(from: 0, to: 3, in: $0) }, { try $0.delete(Song.self, "c") },
        { try links.replace(with: [Ref("a"), Ref("a")], in: $0) },
      ]
      for (number, write) in writes.enumerated() {
        try store.write { try write($0) }
        let change = try unwrap(try changes.next())
        try expectEqual(change.objects, try store.fetch(links), "write \(number)")
        try expectEqual(change.applied(to: list), change.objects, "write \(number)")
        if number == 1 { try expectEqual(change.moves.count, 1) }
        if number == 2 { try expectEqual(change.updates.map(\.place).sorted(), [1, 2]) }
        list = change.objects
      }
      // Another list is none of its business.
      try store.write { try Album(2).played.append(Ref("b"), in: $0) }
      try store.write { try links.append(Ref("b"), in: $0) }
      try expectEqual(try unwrap(try changes.next()).objects.map(\.name), ["a", "a", "b"])
    },
  ]

  // Synchronous, so that it is done when it returns.
  private static func insert(_ number: Int, in store: Store) throws {
    try store.insert(Item(number, rank: number % 3, name: "item"))
  }
}

/// An actor with a live list, live sections and a live object, on a thread of its own.
private actor Desk {
  struct Content: Equatable, Sendable {
    /// The numbers of objects in the list and in the sections.
    var list: Int
    var sections: Int
    var name: String?
  }

  private let thread = ActorThread()
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private var list: LiveQuery<Item>?
  private var sections: LiveSections<Int?, Item>?
  private var one: LiveObject<Item>?

  func open(_ store: Store) throws {
    list = try store.live(Item.all)
    sections = try store.live(Item.all.sorted(by: \.name), sectionedBy: \.rank)
    one = try store.live(Item.self, 1)
  }

  var content: Content {
    get throws {
      let (list, sections) = (try unwrap(list), try unwrap(sections))
      return Content(list: list.count, sections: sections.map(\.elements.count).reduce(0, +), name: one?.name)
    }
  }

  func settled() async throws -> Content {
    try await list?.settled()
    try await sections?.settled()
    try await one?.settled()
    return try content
  }
}
