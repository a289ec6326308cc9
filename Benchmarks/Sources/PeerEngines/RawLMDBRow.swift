import BenchmarkHarness
import Foundation

/// The bytes of a person in raw LMDB: numbers at fixed places, then the strings. The bytes of a lent row live until the
/// transaction writes or ends; nothing here keeps them.
struct RawLMDBRow {
  // score 0, created 8, age 16 (4), lengths of name, email and notes 20, 22, 24 (2 each), active 26, strings from 28.
  static let fixed = 28
  private static let absent = UInt16.max

  let bytes: UnsafeRawBufferPointer

  @inline(__always)
  static func size(_ person: Person) -> Int {
    fixed + person.name.utf8.count + person.email.utf8.count + (person.notes?.utf8.count ?? 0)
  }

  @inline(__always)
  static func write(_ person: Person, to memory: UnsafeMutableRawPointer) {
    memory.storeBytes(of: person.score, toByteOffset: 0, as: Double.self)
    memory.storeBytes(of: person.created.timeIntervalSinceReferenceDate, toByteOffset: 8, as: Double.self)
    memory.storeBytes(of: Int32(truncatingIfNeeded: person.age), toByteOffset: 16, as: Int32.self)
    memory.storeBytes(of: person.active ? 1 : 0, toByteOffset: 26, as: UInt8.self)
    var end = fixed
    func append(_ text: String, _ place: Int) {
      text.withUTF8Bytes { bytes in
        memory.storeBytes(of: UInt16(truncatingIfNeeded: bytes.count), toByteOffset: place, as: UInt16.self)
        if let base = bytes.baseAddress { (memory + end).copyMemory(from: base, byteCount: bytes.count) }
        end += bytes.count
      }
    }
    append(person.name, 20)
    append(person.email, 22)
    if let notes = person.notes {
      append(notes, 24)
    } else {
      memory.storeBytes(of: absent, toByteOffset: 24, as: UInt16.self)
    }
  }

  @inline(__always) var score: Double { bytes.loadUnaligned(fromByteOffset: 0, as: Double.self) }
  @inline(__always) var created: Double { bytes.loadUnaligned(fromByteOffset: 8, as: Double.self) }
  @inline(__always) var age: Int { Int(bytes.loadUnaligned(fromByteOffset: 16, as: Int32.self)) }
  @inline(__always) var active: Bool { bytes.loadUnaligned(fromByteOffset: 26, as: UInt8.self) != 0 }

  @inline(__always)
  private func length(_ place: Int) -> Int { Int(bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self)) }

  @inline(__always)
  var email: UnsafeRawBufferPointer {
    let start = Self.fixed + length(20)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<start + length(22)])
  }

  /// Decodes the whole object.
  @inline(__always)
  func person(_ key: Int64) -> Person {
    let name = length(20)
    let email = length(22)
    let notes = length(24)
    func text(_ start: Int, _ count: Int) -> String {
      String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]), as: UTF8.self)
    }
    return Person(
      id: key, name: text(Self.fixed, name), email: text(Self.fixed + name, email), age: age, score: score,
      created: Date(timeIntervalSinceReferenceDate: created), active: active,
      notes: notes == Int(Self.absent) ? nil : text(Self.fixed + name + email, notes))
  }
}
