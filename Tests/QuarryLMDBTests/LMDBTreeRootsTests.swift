import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

/// Roots that are remembered are those of the state that is read.
@Suite struct LMDBTreeRootsTests {
  let place: Place

  init() throws {
    place = try Place()
  }

  /// Trees that share a place among the remembered, states that come and go, and snapshots of old ones in between.
  @Test(arguments: [1, 2, 3]) func everyStateHasItsOwnRoots(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let engine = try place.open()
    let trees: [TreeID] = [7, 15, 23, 8]
    var stored: [TreeID: [UInt8: [UInt8]]] = [:]
    var snapshots: [(LMDBSnapshot, [TreeID: [UInt8: [UInt8]]])] = []
    for round in 0..<200 {
      let writer = try engine.beginWrite(timeout: 1)
      var new = stored
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let tree = trees.randomElement(using: &random) ?? 7
        let key = UInt8.random(in: 1...5, using: &random)
        if Int.random(in: 0..<8, using: &random) == 0 {
          _ = try writer.delete(tree, in: .all)
          new[tree] = nil
        } else {
          new[tree, default: [:]][key] = [UInt8(truncatingIfNeeded: round), key]
          try writer.put(tree, [key], [UInt8(truncatingIfNeeded: round), key])
        }
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        writer.end()
      } else {
        _ = try writer.commit()
        stored = new
      }
      if round % 9 == 0 { snapshots.append((try engine.snapshot(), stored)) }
      if snapshots.count > 4 { snapshots.removeFirst().0.close() }
      for (snapshot, then) in snapshots {
        let reader = try snapshot.beginRead()
        defer { reader.end() }
        for tree in trees { for key in UInt8(1)...5 { #expect(try reader.get(tree, [key]) == then[tree]?[key]) } }
      }
      let reader = try engine.beginRead()
      defer { reader.end() }
      for tree in trees {
        for key in UInt8(1)...5 {
          #expect(try reader.get(tree, [key]) == stored[tree]?[key], "round \(round)")
          #expect(try engine.value(tree, [key]) == stored[tree]?[key], "round \(round)")
        }
        #expect(try reader.count(tree, KeyRange(lower: [2])) == (stored[tree] ?? [:]).keys.count { $0 >= 2 })
      }
    }
    for (snapshot, _) in snapshots { snapshot.close() }
    #expect(engine.environment.roots.find(7, -1) == nil)
  }
}
