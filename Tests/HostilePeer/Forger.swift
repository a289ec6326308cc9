import Foundation
import QuarryBackend
import QuarrySync
import QuarryTestSupport

/// Makes forged answers out of honest ones.
struct Forger {
  var generator: SeededGenerator
  /// The receiver's hello, which the answers answer.
  var hello: SyncHello
  /// The names that an answer may use: known replicas, the receiver, the empty name, and a new name.
  var replicas: [ReplicaID]
  let now: UInt64

  static let year2099: UInt64 = 4_070_908_800_000 << 16

  mutating func number(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &generator) }

  mutating func chance(_ one: Int) -> Bool { number(one) == 0 }

  mutating func replica() -> ReplicaID { replicas[number(replicas.count)] }

  mutating func hlc() -> UInt64 {
    let times: [UInt64] = [
      0, 1, now << 16, (now - 5_000) << 16 | 7, (now + 200_000) << 16, (now + 299_000) << 16, (now + 400_000) << 16,
      Self.year2099, 1 << 63, .max,
    ]
    return times[number(times.count)]
  }

  /// A time that receivers take.
  mutating func soundHLC() -> UInt64 { (now - UInt64(number(10_000))) << 16 | UInt64(number(9)) }

  mutating func mark() -> EntryMark { EntryMark(chance(2) ? soundHLC() : hlc(), generator.next()) }

  mutating func stamp() -> Stamp { Stamp(chance(3) ? hlc() : soundHLC(), replica()) }

  mutating func name() -> SyncName {
    let columns = HostileModels.columns + ["!", "none", ""]
    return SyncName(columns[number(columns.count)])
  }

  mutating func fitting(_ name: SyncName) -> Value {
    switch name.text {
    case "team", "owner": TeamModels.key(number(6))
    case "person", "target": .string("p\(number(7))")
    case "size", "views", "best", "least", "small", "position": .int(Int64(number(100)))
    case "tags": .array(["red"])
    case "ratio": .double(0.5)
    case "amount": .decimal(3)
    case "day": .date(Date(timeIntervalSinceReferenceDate: 5))
    default: .string(["red", "blue", "gold", "pink"][number(4)])
    }
  }

  mutating func value() -> Value {
    let values: [Value] = [
      .null, .bool(true), .int(3), .int(.max), .int(.min), .uint(.max), .float(.nan), .double(.nan), .double(-.zero),
      .double(.infinity), .double(.signalingNaN), .string(""), .string("\0"), .string("e\u{301}"), .string("\u{e9}"),
      .string(String(repeating: "x", count: 5_000)), .data(Data([0, 255])), .data(Data()),
      .date(Date(timeIntervalSinceReferenceDate: .infinity)), .date(Date(timeIntervalSinceReferenceDate: .nan)),
      .date(.distantPast), .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))), .decimal(.nan),
      .decimal(Decimal(sign: .minus, exponent: 127, significand: 1)), .array([]), .array([1, "x", .null]),
      .array([.array([.double(.nan)])]), .array(["red", "red"]), .object([]),
    ]
    return values[number(values.count)]
  }

  mutating func key(_ model: SyncName) -> Value {
    switch model.text {
    case "Person", "Secret": .string("p\(number(7))")
    case "Team_fans": .array([TeamModels.key(number(6)), .string("p\(number(7))")])
    default: TeamModels.key(number(6))
    }
  }

  mutating func strangeKey() -> Value {
    let keys: [Value] = [
      .string("key"), .string(""), .string("\0"), .string(String(repeating: "k", count: 1 + number(40_000))), .int(4),
      .null, .double(.nan), .array([]), .array([TeamModels.key(1)]),
      .array([TeamModels.key(1), "p1", .int(0)]), .array([TeamModels.key(1), "p1", .int(.max)]),
      .array(["p1", TeamModels.key(1)]), .array([.null, .null]), .data(Data(repeating: 7, count: 600)),
      .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), .bool(true), .object([]),
    ]
    return keys[number(keys.count)]
  }

  mutating func model() -> SyncName {
    let models: [SyncName] = ["Team", "Person", "Job", "Badge", "Team_fans", "Secret", "None", "_quarry_sync", ""]
    return models[number(models.count)]
  }

  mutating func honestModel() -> SyncName {
    let models: [SyncName] = ["Team", "Person", "Job", "Badge", "Team_fans"]
    return models[number(models.count)]
  }

  /// A birth that fits, of an object that may be there.
  mutating func change(of object: ObjectID, _ stamp: Stamp) -> ObjectChange {
    var record = BirthRecord(root: stamp, isWhole: true)
    for text in HostileModels.columns where text != "views" && text != "tags" {
      let column = SyncName(text)
      record.columns[column] = Register(stamp, fitting(column))
    }
    if object.model == "Team_fans", case .array(let sides) = object.key, sides.count >= 2 {
      record.columns["owner"] = Register(stamp, sides[0])
      record.columns["target"] = Register(stamp, sides[1])
    }
    return ObjectChange(object, births: [stamp: record])
  }

  mutating func object() -> ObjectID {
    let model = honestModel()
    return ObjectID(model, key(model))
  }
}
