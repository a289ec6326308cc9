import QuarryBackend

/// Writes an entry whose changes are of plain columns, in the form of ``SyncWriter/entry(_:)``, from the rows themselves.
struct ShortEntry {
  private let stamp: Stamp
  private let previous: EntryMark
  private var writer = SyncWriter()
  /// The numbers that the entry gives to the model and its columns; negative before they are mentioned.
  private var modelNumber = -1
  private var columnNumbers: [Int] = []
  /// The number of changes.
  private(set) var count = 0

  init(_ stamp: Stamp, after previous: EntryMark) {
    self.stamp = stamp
    self.previous = previous
    writer.mention(stamp.replica)
  }

  /// Begins the changes of a model, which come in the order of their keys.
  mutating func begin(_ table: RowTable) {
    modelNumber = -1
    columnNumbers = [Int](repeating: -1, count: table.columns.count)
  }

  mutating func insert(_ key: [UInt8], _ row: Row, _ table: RowTable) throws(StorageError) {
    beginObject(key, table)
    try birth(stamp, isWhole: true, table.columns.indices, row, table)
    writer.count(0)
  }

  /// - Parameter columns: The places of the columns that have changed.
  mutating func update(
    _ key: [UInt8], _ birth: Stamp, _ columns: [Int], _ row: Row, _ table: RowTable
  ) throws(StorageError) {
    beginObject(key, table)
    try self.birth(birth, isWhole: false, columns, row, table)
    writer.count(0)
  }

  mutating func delete(_ key: [UInt8], _ clock: PlainClock, _ table: RowTable) {
    beginObject(key, table)
    writer.count(0)
    writer.count(1)
    writer.stamp(clock.birth)
    writer.stamp(stamp)
    writer.count(clock.stamps.count { $0 != nil })
    for column in table.columnsByName {
      guard let seen = clock.stamps[column] else { continue }
      writer.name(table.columns[column].name, number: &columnNumbers[column])
      writer.stamp(seen)
    }
    endRecord()
  }

  private mutating func beginObject(_ key: [UInt8], _ table: RowTable) {
    count += 1
    writer.name(table.name, number: &modelNumber)
    writer.stored(key)
  }

  /// The births of an object, of which it has one.
  private mutating func birth(
    _ birth: Stamp, isWhole: Bool, _ columns: some Collection<Int>, _ row: Row, _ table: RowTable
  ) throws(StorageError) {
    writer.count(1)
    writer.stamp(birth)
    writer.flag(isWhole)
    writer.count(columns.count)
    try row.bytes.withBytes { bytes throws(StorageError) in
      let view = try RowView(bytes, table.layout)
      for column in columns.count == 1 ? Array(columns) : table.columnsByName.filter(columns.contains) {
        let (slot, name) = table.columns[column]
        writer.name(name, number: &columnNumbers[column])
        writer.stamp(stamp)
        do throws(StorageError) {
          writer.stored(try NestedCoding.encode(view.value(table.layout.slots[slot], table.layout)))
        } catch {
          throw error.with(model: table.name.text, property: name.text)
        }
      }
    }
    endRecord()
  }

  /// No counts and no elements of sets.
  private mutating func endRecord() {
    writer.count(0)
    writer.count(0)
  }

  /// The mark of the entry, and its row of the log.
  ///
  /// - Throws: `limitExceeded` past 64 MiB.
  mutating func finish(_ random: UInt64) throws(StorageError) -> (mark: EntryMark, row: [UInt8]) {
    // Nothing was counted before.
    writer.count(0)
    let tag = writer.tag(after: previous, random)
    var head = ByteWriter()
    head.count(0)
    head.varint(stamp.hlc)
    head.fixed(tag)
    head.varint(previous.hlc)
    head.fixed(previous.tag)
    head.byte(0)
    head.count(count)
    let mark = EntryMark(stamp.hlc, tag)
    return (mark, try StoredEntry.encode(mark, after: previous, SyncEntry.encoded(writer.bytes(behind: head.bytes))))
  }
}
