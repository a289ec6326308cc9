import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync

/// Answers that are cut, repeated, late and out of order, and random histories of three stores.
enum SyncSessionCases {
  static let all: [ConformanceCase] = sessions + random

  /// Writes of many kinds in one store, and a conflict with the other one.
  private static func scene(_ kit: ConformanceContext) throws -> (a: SyncPeer, b: SyncPeer) {
    let clock = SyncClock()
    let (a, b) = (try SyncPeer(kit, clock), try SyncPeer(kit, clock))
    try a.insert("Team", SyncScene.team("t", "red"), SyncScene.team("u", "blue"))
    try b.insert("Team", SyncScene.team("v", "blue"))
    try a.insert("Person", SyncScene.person("p", "Ann", nick: "x", team: "t"))
    try a.insert("Job", SyncScene.job("j", "cook", of: "p"))
    try a.set("Team", "t", "size", 4)
    try a.delete("Person", "p")
    try a.insert("Person", SyncScene.person("q", "Bea", nick: "x", team: "u"))
    try a.set("Team", "u", "name", "green")
    return (a, b)
  }

  private static func sessions(
    _ name: String, _ clauses: [String], _ summary: String, isTrimmed: Bool,
    _ body: @escaping @Sendable (_ a: SyncPeer, _ b: SyncPeer) throws -> Void
  ) -> ConformanceCase {
    SyncScene.syncing(
      "\(name).\(isTrimmed ? "records" : "log")", clauses, summary, within: .seconds(60)
    ) { kit in
      let (a, b) = try scene(kit)
      if isTrimmed {
        // A third store knows all, so that the log may go.
        let c = try SyncPeer(kit, a.clock)
        try Store.replicate(a.store, c.store)
        try a.sync.trim(keeping: 0)
        try expectEqual(try a.sync.status().entries, 0)
      }
      try body(a, b)
      try SyncScene.expectEqual(a, b)
    }
  }

  private static let sessions: [ConformanceCase] = [false, true].flatMap { isTrimmed in
    [
      sessions(
        "cut", ["SYNC-47", "SYNC-48"], "An answer that ends after any message leaves a sound store.",
        isTrimmed: isTrimmed
      ) { a, b in
        var count = 1
        var taken = 0
        while taken < count {
          let (session, messages) = try a.answer(to: b)
          count = messages.count
          taken += 1
          try b.sync.receive(session, Array(messages.prefix(taken)))
          try b.expectSound()
        }
      },
      sessions(
        "repeated", ["SYNC-47", "SYNC-48"], "An answer that comes twice changes nothing the second time.",
        isTrimmed: isTrimmed
      ) { a, b in
        let (session, messages) = try a.answer(to: b)
        try b.sync.receive(session, messages)
        let (content, status) = (try b.content(), try b.sync.status())
        for _ in 0..<2 { try b.sync.receive(session, messages) }
        try expectEqual(try b.content(), content)
        try expectEqual(try b.sync.status(), status)
        try b.expectSound()
      },
      sessions(
        "late", ["SYNC-47", "SYNC-48"], "An answer to an earlier question brings back nothing that is newer.",
        isTrimmed: isTrimmed
      ) { a, b in
        let (session, messages) = try a.answer(to: b)
        try a.set("Team", "t", "size", 50)
        try a.delete("Team", "u")
        try SyncScene.expectEqual(a, b)
        let content = try b.content()
        try b.sync.receive(session, messages)
        try expectEqual(try b.content(), content)
        try b.expectSound()
      },
      sessions(
        "out-of-order", ["SYNC-47", "SYNC-48"], "Messages that come in another order are not taken.",
        isTrimmed: isTrimmed
      ) { a, b in
        let (session, messages) = try a.answer(to: b)
        let content = try b.content()
        try b.sync.receive(session, Array(messages.reversed()))
        try expectEqual(try b.content(), content)
        try b.sync.receive(session, Array(messages.dropFirst()))
        try expectEqual(try b.content(), content)
        try b.expectSound()
      },
      sessions(
        "writes-between", ["SYNC-44", "SYNC-47"], "Writes between two messages of an answer stay.", isTrimmed: isTrimmed
      ) { a, b in
        let (session, messages) = try a.answer(to: b)
        try b.sync.receive(session, Array(messages.prefix(3)))
        try b.insert("Team", SyncScene.team("own", "own"))
        try b.sync.receive(session, messages)
        try expectEqual(try b.value("Team", "own", "name"), "own")
        try b.expectSound()
      },
      sessions(
        "other-session", ["SYNC-48"], "An answer to a question of another store is not taken.", isTrimmed: isTrimmed
      ) { a, b in
        let (session, messages) = try a.answer(to: b)
        let content = try b.content()
        try b.sync.receive(session &+ 1, messages)
        try expectEqual(try b.content(), content)
      },
    ]
  }

  // MARK: Random histories

  private static let random: [ConformanceCase] = (1...6).map { number in
    SyncScene.syncing(
      "random-\(number)", ["SYNC-44", "SYNC-47", "SYNC-48", "SYNC-49", "SYNC-51"],
      "Three stores agree in the end, whatever was written, cut, repeated and late.", within: .seconds(120)
    ) { kit in
      try RandomSync(kit, number: number).run(steps: 60)
    }
  }
}
