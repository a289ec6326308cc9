import Synchronization
import Testing

@testable import QuarryBackend

@Suite struct SpareTests {
  private final class Counter: Sendable {
    private let value = Atomic(0)
    var count: Int { value.load(ordering: .sequentiallyConsistent) }
    /// - Returns: The new count.
    @discardableResult
    func add(_ number: Int = 1) -> Int { value.add(number, ordering: .sequentiallyConsistent).newValue }
  }

  private final class Room: Sendable {
    let number: Int
    let users = Counter()
    private let freed: Counter

    init(_ number: Int, _ freed: Counter) {
      self.number = number
      self.freed = freed
    }

    deinit { freed.add() }
  }

  private final class Place: Sendable {
    private let spare = Spare<Room>()
    func take() -> Room? { spare.take() }
    func keep(_ room: Room) { spare.keep(room) }
  }

  @Test func anObjectIsTakenOnce() {
    let freed = Counter()
    let place = Place()
    #expect(place.take() == nil)
    place.keep(Room(1, freed))
    #expect(freed.count == 0)
    #expect(place.take()?.number == 1)
    #expect(freed.count == 1)
    #expect(place.take() == nil)
  }

  @Test func oneObjectIsKeptAndFreedWithThePlace() {
    let freed = Counter()
    do {
      let place = Place()
      place.keep(Room(1, freed))
      place.keep(Room(2, freed))
      #expect(freed.count == 1)
      #expect(place.take()?.number == 1)
      place.keep(Room(3, freed))
    }
    #expect(freed.count == 3)
  }

  @Test func noTwoUsersHaveAnObjectAtOnce() async {
    let freed = Counter()
    let place = Place()
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<4 {
        group.addTask {
          var isAlone = true
          for _ in 0..<10_000 {
            let room = place.take() ?? Room(number, freed)
            if room.users.add() != 1 { isAlone = false }
            room.users.add(-1)
            place.keep(room)
          }
          return isAlone
        }
      }
      for await isAlone in group { #expect(isAlone) }
    }
  }
}
