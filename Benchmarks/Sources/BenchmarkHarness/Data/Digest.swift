public import Foundation

/// A sum over every field of the objects that were read, independent of their order: what proves that the fields were
/// read and were right, at the cost of a few additions. Of strings it takes the length; their bytes are compared when
/// an engine is warmed up.
public struct Digest: Sendable, Equatable {
  public var count = 0
  public var sum: UInt64 = 0

  @inlinable
  public init() {}

  @inlinable
  public mutating func add(
    id: Int64, name: Int, email: Int, age: Int, score: Double, created: Double, active: Bool, notes: Int
  ) {
    count &+= 1
    let lengths = UInt64(truncatingIfNeeded: name &+ email &* 64 &+ notes &* 4096)
    let numbers = UInt64(truncatingIfNeeded: age) &* 0x1_0001 &+ score.bitPattern &+ created.bitPattern &* 3
    sum &+= UInt64(bitPattern: id) &* 0x9E37_79B9 &+ lengths &+ numbers &+ (active ? 7 : 0)
  }

  @inlinable
  public mutating func add(_ person: Person) {
    add(
      id: person.id, name: person.name.utf8.count, email: person.email.utf8.count, age: person.age,
      score: person.score, created: person.created.timeIntervalSinceReferenceDate, active: person.active,
      notes: person.notes?.utf8.count ?? -1)
  }

  /// Some fields only: what is read of an object in its stored form.
  @inlinable
  public mutating func add(id: Int64, age: Int, score: Double, active: Bool) {
    add(id: id, name: 0, email: 0, age: age, score: score, created: 0, active: active, notes: 0)
  }

  // Inlinable: without the element's type known the loop would copy each person, at the cost of those who made structs.
  @inlinable
  public static func of(_ people: some Sequence<Person>) -> Digest {
    var digest = Digest()
    for person in people { digest.add(person) }
    return digest
  }

  public static func ofParts(_ people: some Sequence<Person>) -> Digest {
    var digest = Digest()
    for person in people {
      digest.add(id: person.id, age: person.age, score: person.score, active: person.active)
    }
    return digest
  }
}
