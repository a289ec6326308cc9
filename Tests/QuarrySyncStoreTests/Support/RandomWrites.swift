import QuarryBackend
import QuarryCore
import QuarryTestSupport

/// Transactions at random on ``TeamModels``, and what must hold after each commit.
enum RandomWrites {
  /// Writes some objects in one transaction. What the constraints of the store refuse is no matter.
  ///
  /// - Returns: Whether the transaction was stored.
  @discardableResult
  static func write(
    _ place: SyncedPlace, _ generator: inout SeededGenerator,
    _ step: (WriteTransaction, inout SeededGenerator) throws -> Void = step
  ) throws -> Bool {
    do {
      try place.store.write { tx in
        for _ in 0..<Int.random(in: 1...3, using: &generator) { try step(tx, &generator) }
      }
      return true
    } catch let error as StorageError {
      // The constraints of the store itself, which a program sees too.
      let expected: [StorageError.Code] = [.uniqueViolation, .duplicateKey, .missingReference, .referenced, .notFound]
      guard expected.contains(error.code) else { throw error }
      return false
    }
  }

  static func step(_ tx: WriteTransaction, _ generator: inout SeededGenerator) throws {
    func number(_ count: Int) -> Value { TeamModels.key(Int.random(in: 0..<count, using: &generator)) }
    func word() -> Value { .string(["red", "blue", "gold", "pink"].randomElement(using: &generator) ?? "") }
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: try tx.records.upsert(into: "Team", [Record(["id": number(5), "name": word(), "size": 1])])
    case 1: try tx.records.delete(in: "Team", keys: [number(5)])
    case 2, 3:
      let team = Bool.random(using: &generator) ? number(5) : .null
      try tx.records.upsert(
        into: "Person", [Record(["id": number(6), "name": word(), "nick": word(), "team": team])])
    case 4: try tx.records.upsert(into: "Person", [Record(["id": number(6), "name": word()])], updating: ["name"])
    case 5: try tx.records.delete(in: "Person", keys: [number(6)])
    case 6: try tx.records.upsert(into: "Job", [Record(["id": number(6), "title": word(), "person": number(6)])])
    case 7: try tx.records.upsert(into: "Badge", [Record(["id": number(4), "color": word(), "person": number(6)])])
    default: try tx.records.delete(in: "Badge", keys: [number(4)])
    }
  }

  /// No reference leads to nothing.
  static func missingTargets(_ place: SyncedPlace) throws -> Int {
    let people = try place.rows("Person")
    let teams = try place.rows("Team")
    let lost = people.values.filter { row in
      guard let team = row["team"], team != .null else { return false }
      return teams[team] == nil
    }
    let alone = try (Array(place.rows("Job").values) + place.rows("Badge").values).filter { row in
      row["person"].flatMap { people[$0] } == nil
    }
    return lost.count + alone.count
  }
}
