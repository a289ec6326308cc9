import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// The order in which processes get their turns to write.
enum FairTurnCases {
  static let all: [ConformanceCase] =
    [(3, 10), (6, 3)].map { writers, milliseconds in
      .processes(
        "MP.fair-\(writers)", ["MP-5"],
        "\(writers) processes that write all the time have their turns one after the other.",
        needs: [.multipleProcesses, .upsert]
      ) { kit in
        let place = try kit.makePlace()
        try kit.open([Item.self], at: place).close()
        let children = try (0..<writers).map { _ in try kit.secondProcess(at: place, "open item") }
        let times = max(8, min(kit.kills, 40)) * 5
        for child in children { child.tell("take-turns \(times) \(milliseconds)") }
        for child in children {
          let most = try unwrap(Int(try child.answer(to: "take-turns")), "the number of commits")
          // A wait of three times as many writes as there are writers.
          try expect(most <= 3 * writers, "\(most) commits of others were between a call and its turn")
        }
      }
    } + [
      .shared(
        "MP.killed-waiter", ["MP-6", "MP-3"],
        "A process that is killed while it waits for its turn is in nobody's way.",
        without: ConformanceVariant.allButFresh
      ) { scene in
        let waiting = try scene.kit.secondProcess(at: scene.place, "open item")
        try scene.child.ask("write")
        waiting.tell("write 60")
        Thread.sleep(forTimeInterval: 0.1)
        waiting.kill()
        try scene.child.ask("commit")
        try scene.store.write(timeout: 5) { try $0.insert(Item(4)) }
        try scene.child.ask("insert 5")
      },
      .shared(
        "MP.stopped-waiter", ["MP-6"],
        "A process that is stopped while it waits for its turn keeps others for a moment.",
        without: ConformanceVariant.allButFresh
      ) { scene in
        let waiting = try scene.kit.secondProcess(at: scene.place, "open item")
        try scene.child.ask("write")
        waiting.tell("write 60")
        Thread.sleep(forTimeInterval: 0.1)
        try waiting.stop()
        defer { waiting.kill() }
        try scene.child.ask("commit")
        try scene.store.write(timeout: 5) { try $0.insert(Item(4)) }
        try scene.child.ask("insert 5")
      },
      .shared(
        "MP.busy-text", ["MP-6", "ERR-5"], "A write that waited for another process says how long.",
        without: ConformanceVariant.allButFresh
      ) { scene in
        try scene.child.ask("write")
        let error = try expectError(.busy) { try scene.store.write(timeout: 0.2) { try $0.insert(Item(5)) } }
        try expectEqual(error.message, "another write transaction was open for longer than 0.2 s")
        try scene.child.ask("commit")
      }.only(.one),
    ]
}
