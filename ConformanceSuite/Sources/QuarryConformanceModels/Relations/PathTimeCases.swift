import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Conditions on other objects see these as they are at the time of the call, whatever the call, or who goes through what it
/// gives, writes to them.
enum PathTimeCases {
  /// A thousand poems and more of each poet, so that a cursor is filled and a delete rule followed many times.
  private static func timed(
    _ name: String, _ summary: String, line: Int = #line,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("REL.paths-time-\(name)", ["REL-21"], summary, within: .seconds(60), line: line) { kit in
      let store = try kit.store(Poem.self)
      try store.insert(contentsOf: [Poet(1, "ada"), Poet(2, "bob", teacher: 1), Poet(3, "cas")])
      try store.insert(
        contentsOf: (0..<4_500).map { Poem($0, "t\($0 % 7)", poet: $0 % 3 + 1, answers: $0 == 0 ? nil : $0 - 1) })
      try body(store)
    }
  }

  private static func poems(of poet: Int) -> [Int] { (0..<4_500).filter { $0 % 3 + 1 == poet } }

  static let all: [ConformanceCase] = [
    timed("cursor", "A cursor goes on when what its condition looks at is written to.") { store in
      try store.write { tx in
        var seen: [Int] = []
        try tx.forEach(Poem.where { $0.poet.name == "bob" }) { poem in
          if seen.isEmpty { try tx.assign(Poet.self, 2) { $0.name = "bert" } }
          if seen.count == 700 { try tx.assign(Poet.self, 3) { $0.name = "bob" } }
          seen.append(poem.id)
        }
        try expectEqual(seen, poems(of: 2))
        try expectEqual(try tx.count(Poem.where { $0.poet.name == "bob" }), 1_500)
        try expectEqual(try tx.first(Poem.where { $0.poet.name == "bob" })?.poet, Ref(3))
      }
    },
    timed("many-cursor", "A cursor goes on when what refers to its objects, and its condition looks at, is written to.")
    { store in
      try store.write { tx in
        var seen: [Int] = []
        try tx.forEach(Poet.where { $0.poems.any { $0.title == "t1" } }) { poet in
          if seen.isEmpty { try tx.assign(Poem.all) { $0.title = "t2" } }
          seen.append(poet.id)
        }
        try expectEqual(seen, [1, 2, 3])
        try expectEqual(try tx.count(Poet.where { $0.poems.any { $0.title == "t1" } }), 0)
      }
    },
    timed(
      "alternative", "A cursor goes on as before when what only one side of its condition looks at is written to."
    ) { store in
      // The first rows need no look at another model, and may be given before there is one.
      _ = try store.write { try $0.assign(Poem.where { $0.id < 2_000 }) { $0.title = "first" } }
      let due = (0..<4_500).filter { $0 < 2_000 || $0 % 3 + 1 == 2 }
      let some = Poem.where { $0.title == "first" || $0.poet.name == "bob" }
      let none = Poem.where { !($0.title != "first" && $0.poet.name != "bob") }
      for (number, query) in [some, none].enumerated() {
        try store.write { tx in
          var seen: [Int] = []
          try tx.forEach(query) { poem in
            if seen.isEmpty {
              try tx.assign(Poet.self, 2) { $0.name = "bert" }
              try tx.assign(Poet.self, 3) { $0.name = "bob" }
            }
            seen.append(poem.id)
          }
          try expectEqual(seen, due, "condition \(number)")
          try expectEqual(try tx.count(query), 2_000 + (2_000..<4_500).filter { $0 % 3 + 1 == 3 }.count)
          try tx.assign(Poet.self, 3) { $0.name = "cas" }
          try tx.assign(Poet.self, 2) { $0.name = "bob" }
        }
      }
    },
    timed("cascade", "A delete removes what fulfilled its condition, which its delete rules change.") { store in
      let count = try store.write { tx in try tx.delete(Poet.where { $0.poems.count > 1_000 && $0.name != "cas" }) }
      try expectEqual(count, 2)
      try expectEqual(try store.keys(Poet.all), [3])
      try expectEqual(try store.keys(Poem.all), poems(of: 3))
    },
    timed("own", "A delete whose condition looks at its own model removes each object that fulfilled it.") { store in
      let due = (1..<4_500).filter { ($0 - 1) % 7 == 1 }
      try expectEqual(try store.write { try $0.delete(Poem.where { $0.answers.title == "t1" }) }, due.count)
      try expectEqual(try store.count(Poem.all), 4_500 - due.count)
      try expectEqual(try store.count(Poem.where { $0.answers.title == "t1" }), 0)
    },
    timed("own-update", "An update that writes what its condition looks at changes each object that fulfilled it.") {
      store in
      let due = (1..<4_500).filter { ($0 - 1) % 7 == 1 || ($0 - 1) % 7 == 2 }
      let titles = ["t1", "t2"]
      let count = try store.write { try $0.assign(Poem.where { $0.answers.title.isIn(titles) }) { $0.title = "t1" } }
      try expectEqual(count, due.count)
      try expectEqual(try store.keys(Poem.where { $0.title == "t1" }), (0..<4_500).filter { (1...3).contains($0 % 7) })
    },
    timed("counts", "Numbers of objects are compared in every way, from either side.") { store in
      try store.insert(Poet(4, "dan"))
      try store.insert(Poem(9_000, poet: 4))
      try store.insert(Poet(5, "eve"))
      let counts = [1: 1_500, 2: 1_500, 3: 1_500, 4: 1, 5: 0]
      for number in [-1, 0, 1, 2, 1_500, 1_501] {
        let wanted: [(String, (Int) -> Bool)] = [
          ("==", { $0 == number }), ("!=", { $0 != number }), ("<", { $0 < number }), ("<=", { $0 <= number }),
          (">", { $0 > number }), (">=", { $0 >= number }),
        ]
        let mirrored = ["<": ">", ">": "<", "<=": ">=", ">=": "<="]
        for (sign, holds) in wanted {
          let due = counts.keys.filter { holds(counts[$0] ?? 0) }.sorted()
          try expectEqual(try store.keys(Poet.where("poems.@count \(sign) \(number)")), due, "\(sign) \(number)")
          let back = mirrored[sign] ?? sign
          try expectEqual(try store.keys(Poet.where("\(number) \(back) poems.@count")), due, "\(back) mirrored")
          let rest = counts.keys.filter { !holds(counts[$0] ?? 0) }.sorted()
          try expectEqual(try store.keys(Poet.where("NOT poems.@count \(sign) \(number)")), rest, "not \(sign)")
        }
      }
    },
  ]
}
