import Foundation
import QuarryBackend
import Testing

@testable import QuarrySync

@Suite struct CodingTests {
  /// Entries and messages of random histories.
  static let samples: (entries: [SyncEntry], frames: [SyncFrame]) = {
    var entries: [SyncEntry] = []
    var frames: [SyncFrame] = []
    for seed in 1...6 {
      var history = RandomHistory(seed: UInt64(seed), hasHub: seed % 2 == 0)
      try? history.run(steps: 60)
      for receiver in history.replicas {
        entries += receiver.log
        var hello = receiver.hello()
        frames.append(.hello(hello))
        for place in history.replicas.indices {
          frames += history.replicas[place].serve(hello).map { .message($0) }
          hello.cursor = 0
          frames += history.replicas[place].servePart(hello) { object, _ in object.model != "Card" }.map {
            .message($0)
          }
        }
      }
    }
    return (entries, frames)
  }()

  @Test func entriesComeBack() throws {
    #expect(Self.samples.entries.count > 100)
    var history = RandomHistory(seed: 12, hasHub: true, resolves: true)
    try history.run(steps: 150)
    let logs = history.replicas.map(\.log)
    // The hub keeps nothing of what the authors had seen.
    #expect(logs.map { log in log.contains { !$0.seen.isEmpty } } == [false, true, true])
    for entry in Self.samples.entries + logs.joined() {
      let bytes = entry.encoded()
      #expect(bytes[4] == (entry.seen.isEmpty ? 1 : 2))
      let back = try SyncEntry(decoding: bytes)
      #expect(back == entry)
      #expect(back.encoded() == bytes)
    }
  }

  @Test func framesComeBack() throws {
    var kinds: Set<UInt8> = []
    for frame in Self.samples.frames {
      let bytes = try frame.encoded()
      kinds.insert(bytes[4])
      let back = try SyncFrame.decode(bytes)
      #expect(back == [frame])
      #expect(try back[0].encoded() == bytes)
    }
    #expect(kinds.isSuperset(of: [1, 3, 4, 5, 6, 7, 8]))
  }

  /// A client with a part asks, and its hub answers.
  @Test(arguments: [true, false]) func framesOfPartsComeBack(_ isWhole: Bool) throws {
    var history = RandomHistory(seed: 1, hasHub: true)
    try history.run(steps: 60)
    var hello = history.replicas[1].hello()
    let after = try #require(history.replicas[0].tables.keys.min())
    let place = PartPlace(part: .max, cursor: 7, isWhole: isWhole, after: isWhole ? after : nil)
    hello.place = place
    let header = PartHeader(knowledge: history.replicas[0].knowledge, isFresh: isWhole, place: place)
    let messages: [SyncMessage] = [.partBegin(header), .partAt(place, isEnd: !isWhole)]
    for frame in [.hello(hello)] + NumberedMessage.numbered(messages).map({ SyncFrame.message($0) }) {
      let bytes = try frame.encoded()
      #expect(try SyncFrame.decode(bytes) == [frame])
      for end in 1..<bytes.count {
        #expect(throws: StorageError.self) { try SyncFrame.decode(Array(bytes[..<end])) }
      }
    }
  }

  @Test func cutAndChangedEntriesAreRefused() throws {
    let entry = try #require(Self.samples.entries.max { $0.changes.count < $1.changes.count })
    let bytes = entry.encoded()
    for end in 0..<bytes.count {
      #expect(throws: StorageError.self) { try SyncEntry(decoding: Array(bytes[..<end])) }
    }
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 0x10
      #expect(throws: StorageError.self) { try SyncEntry(decoding: changed) }
    }
    #expect(throws: StorageError.self) { try SyncEntry(decoding: bytes + [0]) }
  }

  @Test func codesTellWhatIsWrong() throws {
    func code(_ body: () throws -> Void) -> StorageError.Code? {
      do {
        try body()
        return nil
      } catch {
        return (error as? StorageError)?.code
      }
    }
    var bytes = try #require(Self.samples.entries.first).encoded()
    bytes[4] = 3
    #expect(code { _ = try SyncEntry(decoding: bytes) } == .schemaTooNew)
    // The second format has what the author had seen, and this entry has nothing of it.
    bytes[4] = 2
    #expect(code { _ = try SyncEntry(decoding: bytes) } == .corrupt)
    bytes[4] = 0
    #expect(code { _ = try SyncEntry(decoding: bytes) } == .corrupt)
    let large: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F] + [UInt8](repeating: 0, count: 20)
    #expect(code { _ = try SyncFrame.decode(large) } == .limitExceeded)
    let world = World()
    var hello = SyncReplica(world.name(), Models.first, world.environment(0)).hello()
    for number in 0...UInt64(SyncLimits.mentionedReplicas) {
      hello.knowledge.vector[ReplicaID(high: 1, low: number)] = EntryMark(1, 1)
    }
    let many = try SyncFrame.hello(hello).encoded()
    #expect(code { _ = try SyncFrame.decode(many) } == .limitExceeded)
  }

  /// The bytes of docs/formats/sync.md.
  @Test func bytesAreAsDocumented() throws {
    let name = ReplicaID(name: "r0")
    let stamp = Stamp(160, name)
    let birth = BirthRecord(root: stamp, isWhole: true, columns: ["note": Register(stamp, 1)])
    let entry = SyncEntry(
      origin: name, mark: EntryMark(160, 0x0102_0304_0506_0708), previous: EntryMark(),
      changes: [ObjectChange(ObjectID("Card", 3), births: [stamp: birth])])
    let bytes = entry.encoded()
    let hex = bytes.dropLast(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let wanted = [
      "51535945", "01", "01", "72300000000000000000000000000000", "02", "0443617264", "046e6f7465",  // tables
      "00", "a001", "0807060504030201", "00", "0000000000000000", "00",  // origin, marks, flags
      "01", "00", "020506",  // one object: Card 3
      "01", "a00100", "01", "01", "01", "a00100", "020502", "00", "00",  // one birth with one column
      "00", "00",  // no deaths; nothing was counted before
    ]
    #expect(hex == wanted.joined())
  }
}
