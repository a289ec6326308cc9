import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What stores have that are copied, compared and dumped: a property of every type, and values of which something is lost
/// when it is not meant exactly.
enum MovingSamples {
  private static let ordered: [PropertyType] = [
    .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .string, .date, .data,
    .uuid, .decimal, .url,
  ]

  /// Each type as an optional property of its name, an array of each, and a nested value.
  static let every = ModelSchema(
    name: "Every",
    properties: [PropertySchema(name: "id", type: .int64)]
      + ordered.map { PropertySchema(name: $0.name, type: $0, isOptional: true) }
      + ordered.map { PropertySchema(name: "\($0.name)s", type: .array, isOptional: true, elementType: $0) }
      + [PropertySchema(name: "nested", type: .nested, isOptional: true)],
    primaryKey: 0)

  private static func values(_ type: PropertyType) -> [Value] {
    switch type {
    case .bool: [.bool(false), .bool(true)]
    case .float:
      [
        .float(-0.0), .float(0.1), .float(.greatestFiniteMagnitude), .float(.leastNonzeroMagnitude), .float(.infinity),
        .float(.nan), .float(Float(bitPattern: 0xffc0_0001)),
      ]
    case .double:
      [
        .double(-0.0), .double(0.1), .double(1e300), .double(.leastNonzeroMagnitude), .double(-.infinity),
        .double(.nan),
        .double(Double(bitPattern: 0x7ff8_0000_0000_0007)), .double(9_007_199_254_740_992),
      ]
    case .string:
      ["", "a", "\u{0}\u{1}\u{1F}\u{7F}\u{85}\u{2028}", "\"\\/\n\r\t", "e\u{301} é 😀", "$x"].map { .string($0) }
    case .date:
      [0.0, -0.0, 1.25, -1e-9, 1e300, .infinity, .nan, Double(bitPattern: 0xfff8_0000_0000_0003), -63_114_076_800.5]
        .map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .data: [.data(Data()), .data(Data([0, 255, 128])), .data(Data(repeating: 7, count: 300))]
    case .uuid: [.uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)))]
    case .decimal:
      [
        "0", "-1.50", "123456789012345678901234567890.12345678", "1e-128", "9e127",
        "340282366920938463463374607431768211455",
      ]
      .compactMap { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) }.map { .decimal($0) }
    case .url: ["/", "https://example.org/a%20b?c=d#e", "mailto:a@b"].compactMap { URL(string: $0) }.map { .url($0) }
    default:
      type.integerRange.map { [Value(integer: $0.lowerBound), .int(0), .int(1), Value(integer: $0.upperBound)] } ?? []
    }
  }

  /// Nested values of each kind, in each other, with names that look like a dump's own.
  static let nested: [Value] = [
    .null, .bool(true), .int(-3), .uint(.max), .double(2), .double(.nan), .double(-0.0), .float(1.5), .string("$date"),
    .array([]), .object(unordered: []), .array([.null, .array([.int(1), .double(1)])]),
    .object(unordered: [.init("$date", .string("x"))]), .object(unordered: [.init("$$int64", .int(1))]),
    .object(unordered: [.init("", .null), .init("$", .int(2)), .init("a", .object(unordered: [.init("b", .int(3))]))]),
    .array(ordered.flatMap(values)),
    .object(unordered: [.init("when", .date(Date(timeIntervalSinceReferenceDate: 0.5)))]),
    (0..<120).reduce(.data(Data([1]))) { inner, depth in
      depth % 2 == 0 ? .array([inner]) : .object(unordered: [.init("$d", inner)])
    },
  ]

  /// Rows of ``every``: each value of each type, all nil, all arrays empty.
  static let rows: [Record] = {
    let nothing = ordered.map { ("\($0.name)s", Value.array([])) }
    var rows = [Record([("id", .int(-5))]), Record([("id", .int(-4))] + nothing)]
    for number in 0..<20 {
      var fields: [(name: String, value: Value)] = [("id", .int(Int64(number)))]
      for type in ordered {
        let values = values(type)
        guard !values.isEmpty else { continue }
        fields.append((type.name, values[number % values.count]))
        fields.append(("\(type.name)s", .array(Array(values.prefix(number % (values.count + 1))))))
      }
      fields.append(("nested", nested[number % nested.count]))
      rows.append(Record(fields))
    }
    return rows
  }()

  /// A model with indexes of each kind.
  static let indexed = ModelSchema(
    name: "Indexed",
    properties: [
      PropertySchema(name: "code", type: .string), PropertySchema(name: "rank", type: .int32, isOptional: true),
      PropertySchema(name: "name", type: .string, defaultValue: .string("none")),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "by name", columns: [.init(slot: 2), .init(slot: 1, isDescending: true)]),
      IndexSchema(name: "rank", columns: [.init(slot: 1)], isUnique: true),
    ])

  static func indexed(_ count: Int) -> [Record] {
    (0..<count).map {
      Record([
        "code": .string("c\($0)"), "rank": $0 % 4 == 0 ? .null : .int(Int64($0)), "name": .string("n\($0 % 9)"),
      ])
    }
  }
}

/// A store that is moved, and the places it is moved to.
struct MovingStore {
  let kit: ConformanceContext

  /// A store of these models with these rows.
  func store(
    _ models: [ModelSchema], _ rows: [String: [Record]] = [:], version: Int? = nil,
    at place: (any BackendProvider)? = nil
  ) throws -> Store {
    let store = try kit.open(
      program: models, at: place ?? kit.makePlace(), migration: version.map { .to($0) } ?? .automatic)
    try store.write { tx in for (model, rows) in rows { try tx.records.insert(into: model, rows) } }
    return store
  }

  /// A store with everything that there is.
  func full(at place: (any BackendProvider)? = nil) throws -> Store {
    try store(
      [MovingSamples.every, MovingSamples.indexed],
      ["Every": MovingSamples.rows, "Indexed": MovingSamples.indexed(100)], version: 3, at: place)
  }

  /// Opens what was made at a place, with the models that it has.
  func made(at place: any BackendProvider) throws -> Store {
    var options = OpenOptions()
    options.createsIfMissing = false
    return try kit.open([], at: place, options: options)
  }

  /// Makes a store without models at a place.
  func made(creating place: any BackendProvider) throws -> Store { try kit.open([], at: place) }

  func copy(
    _ store: Store, to place: any BackendProvider, _ options: CopyOptions = CopyOptions()
  ) throws -> CopyReport {
    try store.copy(to: place, options: options)
  }
}

/// A progress that is cancelled when so much is done.
final class EndingProgress: Progress, @unchecked Sendable {
  // Unchecked because the class that it inherits from is; what it adds is constant.
  private let end: Int64

  init(after end: Int64) {
    self.end = end
    super.init(parent: nil, userInfo: nil)
  }

  override var completedUnitCount: Int64 {
    didSet { if completedUnitCount >= end { cancel() } }
  }
}

/// Throws unless two stores have the same.
func expectSame(_ first: Store, _ second: Store, file: String = #fileID, line: Int = #line) throws {
  try expectEqual(try first.differences(from: second, limit: 3), [], file: file, line: line)
}
