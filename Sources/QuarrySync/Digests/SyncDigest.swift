import QuarryBackend

/// SHA-256 over content in its one form, by which two stores prove that they agree: SYNC-41.
public struct SyncDigest: Sendable, Hashable, CustomStringConvertible {
  /// The 32 bytes of the hash.
  public let bytes: [UInt8]

  init(_ writer: ByteWriter) {
    bytes = SyncHash.sha256(writer.bytes)
  }

  /// The digest of a text's UTF-8, for texts and secrets that are compared.
  package init(of text: String) {
    bytes = SyncHash.sha256(Array(text.utf8))
  }

  /// A digest from its description; nil for text of another form.
  package init?(_ text: some StringProtocol) {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == 64, text.utf8.count == 64 else { return nil }
    bytes = stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// 64 hexadecimal digits.
  public var description: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The digest of tables: equal where two programs read the same.
  package static func content(_ tables: [ObjectID: SyncRow]) -> SyncDigest {
    var writer = ByteWriter()
    writer.raw(Array("QSYN content 1".utf8))
    for (object, row) in tables.sorted(by: { $0.key < $1.key }) {
      writer.text(object.model)
      writer.raw(object.key.syncBytes)
      writer.map(row) { writer, column, value in
        writer.text(column)
        writer.raw(value.syncBytes)
      }
    }
    return SyncDigest(writer)
  }

  /// The digest of records: equal where two stores show the same, hold the same, and will decide alike.
  package static func agreement(_ records: [ObjectID: Births]) -> SyncDigest {
    var writer = ByteWriter()
    writer.raw(Array("QSYN agreement 1".utf8))
    for (object, births) in records.sorted(by: { $0.key < $1.key }) {
      writer.text(object.model)
      writer.raw(object.key.syncBytes)
      writer.map(births) { $0.birth($1, $2) }
    }
    return SyncDigest(writer)
  }
}

extension ByteWriter {
  fileprivate mutating func map<K: Comparable, V>(_ map: [K: V], _ write: (inout ByteWriter, K, V) -> Void) {
    count(map.count)
    for (key, value) in map.sorted(by: { $0.key < $1.key }) { write(&self, key, value) }
  }

  private mutating func stamp(_ stamp: Stamp) {
    varint(stamp.hlc)
    raw(stamp.replica.bytes)
  }

  fileprivate mutating func birth(_ birth: Stamp, _ record: BirthRecord) {
    stamp(birth)
    stamp(record.root)
    byte(record.isWhole ? 1 : 0)
    map(record.columns) { writer, column, register in
      writer.text(column)
      writer.stamp(register.stamp)
      writer.raw(register.value.syncBytes)
    }
    map(record.counts) { writer, column, counts in
      writer.text(column)
      writer.map(counts) { writer, replica, count in
        writer.raw(replica.bytes)
        writer.varint(count.plus)
        writer.varint(count.minus)
        writer.varint(count.hlc)
      }
    }
    map(record.sets) { writer, column, elements in
      writer.text(column)
      writer.count(elements.count)
      for (element, state) in elements.sorted(by: { $0.key.precedes($1.key) }) {
        writer.raw(element.syncBytes)
        writer.varint(state.length)
        writer.stamp(state.stamp)
      }
    }
  }
}
