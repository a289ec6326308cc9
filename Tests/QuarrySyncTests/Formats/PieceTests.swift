import QuarryBackend
import Testing

@testable import QuarrySync

/// Messages that are larger than a frame.
@Suite struct PieceTests {
  private func message(bytes: Int) -> SyncFrame {
    let replica = ReplicaID(high: 1, low: 2)
    let stamp = Stamp(5, replica)
    let text = Value.string(String(repeating: "x", count: bytes))
    let birth = BirthRecord(root: stamp, isWhole: true, columns: [SyncName("note"): Register(stamp, text)])
    let change = ObjectChange(ObjectID(SyncName("Card"), .int(1)), births: [stamp: birth], deaths: [:])
    return .message(
      NumberedMessage(
        3, .log(SyncEntry(origin: replica, mark: EntryMark(5, 7), previous: EntryMark(), changes: [change]))))
  }

  @Test(arguments: [4 << 20, 9 << 20]) func aLargeMessageComesBack(_ size: Int) throws {
    let frame = message(bytes: size)
    let bytes = try frame.encoded()
    #expect(bytes[4] == 11)
    #expect(try SyncFrame.decode(bytes) == [frame])
    // Between others.
    let small = message(bytes: 10)
    #expect(try SyncFrame.decode(small.encoded() + bytes + small.encoded()) == [small, frame, small])
  }

  @Test func damagedPiecesAreRefused() throws {
    let bytes = try message(bytes: 9 << 20).encoded()
    let frame = SyncLimits.frame
    // The last frame is missing, or the first, or one is there twice.
    for damaged in [
      Array(bytes[..<frame]), Array(bytes[..<(2 * frame)]), Array(bytes[frame...]), bytes[..<frame] + bytes,
    ] {
      #expect(throws: StorageError.self) { try SyncFrame.decode(damaged) }
    }
  }

  @Test func aMessagePastTheLimitIsRefused() throws {
    let error = #expect(throws: StorageError.self) { try message(bytes: 65 << 20).encoded() }
    #expect(error?.code == .limitExceeded)
    // Seventeen full pieces are more than a message may have.
    let piece = Array(try message(bytes: 5 << 20).encoded()[..<SyncLimits.frame])
    let many = (0..<17).flatMap { _ in piece }
    #expect(throws: StorageError.self) { try SyncFrame.decode(many) }
  }
}
