import Foundation
import QuarryBackend
import Testing

@testable import QuarrySync

/// Damaged bytes with a right checksum: each is refused with a typed error, or is read and has one form.
///
/// `QUARRY_SYNC_FUZZ` is the number of inputs, 20,000 when left out: `scripts/sync-fuzz`.
@Suite struct DecoderFuzzTests {
  private static let count = ProcessInfo.processInfo.environment["QUARRY_SYNC_FUZZ"].flatMap(Int.init) ?? 20_000

  private func damage(_ bytes: [UInt8], _ world: World, _ other: [UInt8]) -> [UInt8] {
    var result = bytes
    for _ in 0...world.random(below: 3) {
      guard !result.isEmpty else { break }
      let place = world.random(below: result.count)
      switch world.random(below: 7) {
      case 0: result[place] = UInt8(truncatingIfNeeded: world.random())
      case 1: result[place] ^= 1 << UInt8(world.random(below: 8))
      case 2: result.remove(at: place)
      case 3: result.insert(UInt8(truncatingIfNeeded: world.random()), at: place)
      case 4: result.removeSubrange(place..<min(result.count, place + 1 + world.random(below: 16)))
      case 5:
        let from = world.random(below: other.count)
        result.insert(contentsOf: other[from..<min(other.count, from + 24)], at: place)
      default: result.replaceSubrange(place..<place + 1, with: [0xFF, 0xFF, 0xFF, 0xFF, 0x0F])
      }
    }
    return result
  }

  private func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.raw(bytes)
    writer.fixed(bytes.withBytes { CRC32C.checksum($0) })
    return writer.bytes
  }

  @Test func damagedEntries() throws {
    let world = World(seed: 7)
    let samples = CodingTests.samples.entries.map { $0.encoded() }
    var read = 0
    for _ in 0..<Self.count {
      let sample = samples[world.random(below: samples.count)].dropLast(4)
      let input = sealed(damage(Array(sample), world, samples[world.random(below: samples.count)]))
      do {
        let entry = try SyncEntry(decoding: input)
        read += 1
        #expect(entry.encoded() == input)
      } catch {
        #expect([.corrupt, .schemaTooNew, .limitExceeded].contains(error.code))
      }
    }
    #expect(read > 0)
  }

  /// Frames that can be read are answered too, and break no law of the replica that takes them.
  @Test func damagedFrames() throws {
    let world = World(seed: 8)
    let samples = try CodingTests.samples.frames.map { try $0.encoded() }
    var history = RandomHistory(seed: 9)
    try history.run(steps: 60)
    let replica = history.replicas[0]
    var read = 0
    for _ in 0..<Self.count {
      let sample = samples[world.random(below: samples.count)].dropLast(4)
      var bytes = damage(Array(sample), world, samples[world.random(below: samples.count)])
      guard bytes.count >= 10 else { continue }
      let length = UInt32(bytes.count + 4)
      for place in 0..<4 { bytes[place] = UInt8(truncatingIfNeeded: length >> UInt32(8 * place)) }
      let input = sealed(bytes)
      do {
        let frames = try SyncFrame.decode(input)
        read += 1
        #expect(try frames.first?.encoded() == input)
        guard read % 8 == 0 else { continue }
        try take(frames, replica)
      } catch let error as StorageError {
        #expect([.corrupt, .schemaTooNew, .limitExceeded].contains(error.code))
      }
    }
    #expect(read > 0)
  }

  private func take(_ frames: [SyncFrame], _ replica: SyncReplica) throws {
    var replica = replica
    for frame in frames {
      switch frame {
      case .hello(let hello):
        let answer = replica.serve(hello)
        #expect(!answer.isEmpty)
      case .message(var message):
        message.number = 0
        replica.receive(replica.session, [message])
        #expect(Integrity.problems(replica.tables, replica.schema).isEmpty)
        #expect(replica.tables == replica.view.tables())
        #expect(replica.clock.last <= replica.environment.limit)
      }
    }
  }
}
