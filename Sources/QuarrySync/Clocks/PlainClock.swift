import QuarryBackend

/// The stamps of an object with one birth, whose values are those of its row: `docs/formats/sync.md`.
struct PlainClock: Sendable, Hashable {
  /// The number of the layout, whose columns the stamps belong to.
  var layout: Int
  var birth: Stamp
  /// Nil for a column that is newer than the object.
  var stamps: [Stamp?]

  /// Milliseconds since 1970 at the beginning of 2024: times are written as differences from it.
  private static let epoch: UInt64 = 1_704_067_200_000

  /// A new object.
  init(layout: Int, birth: Stamp, columns: Int) {
    self.layout = layout
    self.birth = birth
    stamps = [Stamp?](repeating: birth, count: columns)
  }

  /// Nil where the record has more than one birth and the stamps of its columns, or other values than the row.
  init?(_ births: Births, _ deaths: Deaths, _ row: SyncRow?, _ layout: Int, _ columns: [SyncName]) {
    guard deaths.isEmpty, births.count == 1, let (birth, record) = births.first, let row else { return nil }
    guard record.isWhole, record.root == birth, record.counts.isEmpty, record.sets.isEmpty else { return nil }
    self.layout = layout
    self.birth = birth
    stamps = []
    stamps.reserveCapacity(columns.count)
    var found = 0
    for column in columns {
      guard let register = record.columns[column] else {
        stamps.append(nil)
        continue
      }
      guard row[column] == register.value else { return nil }
      stamps.append(register.stamp)
      found += 1
    }
    guard found == record.columns.count else { return nil }
  }

  /// The record, with the values of a row.
  func record(_ columns: [SyncName], _ row: SyncRow?) -> BirthRecord {
    var record = BirthRecord(root: birth, isWhole: true)
    record.columns.reserveCapacity(columns.count)
    for (column, stamp) in zip(columns, stamps) {
      // A column that was dropped has no value any more.
      guard let stamp, let value = row?[column] else { continue }
      record.columns[column] = Register(stamp, value)
    }
    return record
  }

  // MARK: Bytes

  /// Nil where a replica has no number.
  func encoded(_ number: (ReplicaID) -> Int?) -> [UInt8]? {
    var writer = ByteWriter()
    writer.count(layout + 1)
    guard Self.write(birth, since: Self.epoch, number, to: &writer) else { return nil }
    // Mostly no column, or all that changed in one transaction, has another stamp than the birth.
    var rest = stamps.indices.filter { stamps[$0] != birth }
    while let first = rest.first {
      let stamp = stamps[first]
      if let stamp {
        guard Self.write(stamp, since: birth.hlc >> 16, number, to: &writer) else { return nil }
      } else {
        writer.byte(0)
      }
      var bits = [UInt8](repeating: 0, count: (stamps.count + 7) / 8)
      for place in rest where stamps[place] == stamp { bits[place / 8] |= 1 << UInt8(place % 8) }
      writer.raw(bits)
      rest.removeAll { stamps[$0] == stamp }
    }
    return writer.bytes
  }

  private static func write(
    _ stamp: Stamp, since time: UInt64, _ number: (ReplicaID) -> Int?, to writer: inout ByteWriter
  ) -> Bool {
    guard let replica = number(stamp.replica) else { return false }
    let count = stamp.hlc & 0xFFFF
    writer.varint((UInt64(replica) + 1) << 1 | (count == 0 ? 0 : 1))
    if count != 0 { writer.varint(count) }
    let difference = Int64(bitPattern: stamp.hlc >> 16 &- time)
    writer.varint(UInt64(bitPattern: difference << 1 ^ difference >> 63))
    return true
  }

  /// Reads what ``encoded(_:)`` wrote, behind the number of the layout.
  init(
    _ reader: inout ClockReader, layout: Int, columns: Int, _ replicas: [ReplicaID]
  ) throws(StorageError) {
    guard let birth = try reader.stamp(since: Self.epoch, replicas) else { throw SyncReader.damaged }
    self.layout = layout
    self.birth = birth
    stamps = [Stamp?](repeating: birth, count: columns)
    while !reader.isAtEnd {
      let stamp = try reader.stamp(since: birth.hlc >> 16, replicas)
      for start in stride(from: 0, to: columns, by: 8) {
        let bits = try reader.byte()
        for place in 0..<8 where bits >> UInt8(place) & 1 != 0 {
          guard start + place < columns else { throw SyncReader.damaged }
          stamps[start + place] = stamp
        }
      }
    }
  }
}

/// Reads the bytes of a clock.
struct ClockReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func byte() throws(StorageError) -> UInt8 {
    guard position < bytes.count else { throw SyncReader.damaged }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func varint() throws(StorageError) -> UInt64 {
    try SyncReader.varint { () throws(StorageError) in try byte() }
  }

  /// A stamp; nil for a column that is newer than its object.
  mutating func stamp(since time: UInt64, _ replicas: [ReplicaID]) throws(StorageError) -> Stamp? {
    let code = try varint()
    if code == 0 { return nil }
    let number = code >> 1
    guard number >= 1, number <= UInt64(replicas.count) else { throw SyncReader.damaged }
    let count = code & 1 == 0 ? 0 : try varint()
    let zigzag = try varint()
    let difference = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    let milliseconds = time &+ UInt64(bitPattern: difference)
    guard count <= 0xFFFF, milliseconds < 1 << 48 else { throw SyncReader.damaged }
    return Stamp(milliseconds << 16 | count, replicas[Int(number) - 1])
  }
}
