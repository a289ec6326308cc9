import Foundation
import QuarryBackend
import QuarryCore

func encoded(_ value: some Encodable) throws(StorageError) -> Value {
  try ValueEncoder().encode(value)
}

func roundTrip<T: Codable>(_ value: T) throws(StorageError) -> T {
  try ValueDecoder().decode(T.self, from: try ValueEncoder().encode(value))
}

func decoded<T: Decodable>(_ type: T.Type, _ value: Value) throws(StorageError) -> T {
  try ValueDecoder().decode(type, from: value)
}

func object(_ members: [String: Value]) -> Value {
  .object(unordered: members.map { Value.Member($0.key, $0.value) })
}

struct EveryKind: Codable, Equatable {
  var bool = true
  var int8 = Int8.min
  var int16 = Int16.min
  var int32 = Int32.min
  var int64 = Int64.min
  var int = Int.max
  var uint8 = UInt8.max
  var uint16 = UInt16.max
  var uint32 = UInt32.max
  var uint64 = UInt64.max
  var uint = UInt.max
  var float: Float = 1.5
  var double = -0.1
  var string = "a\0b"
  var date = Date(timeIntervalSinceReferenceDate: 0.1)
  var data = Data([0, 255])
  var uuid = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
  var decimal = Decimal(string: "12345678901234567890.0123456789")!
  var url = URL(string: "https://example.org/a?b=c#d")!
  var optional: Date? = Date(timeIntervalSinceReferenceDate: 5)
  var absent: Date?
  var dates = [Date(timeIntervalSinceReferenceDate: 1)]
  var byName = ["k": UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!]
  var optionals: [Decimal?] = [1, nil]
}

enum Shape: Codable, Equatable {
  case point
  case circle(radius: Double)
  case pair(Int, Date)
}

class Animal: Codable {
  var name: String
  init(name: String) { self.name = name }
}

/// Writes its own members and those of its superclass into one container.
class Dog: Animal {
  var age: Int
  private enum Keys: String, CodingKey { case age }
  init(name: String, age: Int) {
    self.age = age
    super.init(name: name)
  }
  required init(from decoder: any Decoder) throws {
    age = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .age)
    try super.init(from: decoder)
  }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(age, forKey: .age)
    try super.encode(to: encoder)
  }
}

/// Keeps the members of its superclass under `super`.
final class Cat: Animal {
  var lives: Int
  private enum Keys: String, CodingKey { case lives }
  init(name: String, lives: Int) {
    self.lives = lives
    super.init(name: name)
  }
  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    lives = try container.decode(Int.self, forKey: .lives)
    try super.init(from: try container.superDecoder())
  }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(lives, forKey: .lives)
    try super.encode(to: container.superEncoder())
  }
}

struct Name: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// Encodes by a closure.
struct Custom: Encodable {
  let body: @Sendable (any Encoder) throws -> Void
  init(_ body: @escaping @Sendable (any Encoder) throws -> Void) { self.body = body }
  func encode(to encoder: any Encoder) throws { try body(encoder) }
}

/// A list whose elements are inside each other.
final class Chain: Codable {
  var next: Chain?

  init(length: Int) {
    next = length > 1 ? Chain(length: length - 1) : nil
  }

  init() {}

  var length: Int { 1 + (next?.length ?? 0) }
}
