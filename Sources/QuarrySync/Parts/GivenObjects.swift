import Foundation
import QuarryBackend

/// The objects that a hub has given to the clients of one part, in rows of the internal model. They are only added: of an object
/// that is not among them, no client of the part is told anything.
enum GivenObjects {
  /// A part that no client has asked for in this time is forgotten. Its clients receive it as a whole then.
  static let patience: TimeInterval = 180 * 86_400
  /// The most rows of forgotten parts that one write removes.
  private static let mostRemoved = 10_000

  static func key(_ part: UInt64, _ object: ObjectID) -> [UInt8] {
    var writer = ByteWriter()
    writer.text(object.model)
    writer.raw(object.key.syncBytes)
    return prefix(part) + SyncHash.sha256(writer.bytes).prefix(16)
  }

  private static func prefix(_ part: UInt64) -> [UInt8] { AreaKey.Kind.partObject.prefix + AreaKey.bigEndian(part) }
  private static func use(_ part: UInt64) -> [UInt8] { AreaKey.Kind.partUse.prefix + AreaKey.bigEndian(part) }

  /// When a client has asked for a part, to the day; nil where none has.
  static func lastUse(
    of part: UInt64, _ area: SyncArea, in transaction: any BackendReadTransaction
  ) throws(StorageError) -> Date? {
    guard let bytes = try area.value(use(part), in: transaction) else { return nil }
    return try date(bytes)
  }

  private static func date(_ bytes: [UInt8]) throws(StorageError) -> Date {
    var reader = try SyncReader(bytes[...])
    guard case .date(let date) = try reader.value() else { throw SyncReader.damaged }
    try reader.finish()
    return date
  }

  /// The rows that note the use of a part, and remove parts that nobody asks for any more.
  static func using(
    _ part: UInt64, at now: Date, _ area: SyncArea, in transaction: any BackendReadTransaction
  ) throws(StorageError) -> [SyncArea.Row] {
    var writer = SyncWriter()
    writer.value(.date(now))
    var rows: [SyncArea.Row] = [(use(part), writer.bytes)]
    var known: Set<[UInt8]> = [Array(prefix(part).dropFirst())]
    try area.forEach(AreaKey.Kind.partUse.prefix, in: transaction) { key, value throws(StorageError) in
      if key != use(part), now.timeIntervalSince(try date(Array(value))) > patience {
        rows.append((key, nil))
      } else {
        known.insert(Array(key.dropFirst()))
      }
      return true
    }
    // The objects of a part without use may be many, and go with several writes.
    var next = AreaKey.Kind.partObject.prefix
    var removed = 0
    var isDone = false
    while !isDone, removed < mostRemoved {
      var skipped: [UInt8]?
      isDone = true
      try area.forEach(AreaKey.Kind.partObject.prefix, from: next, in: transaction) { key, _ throws(StorageError) in
        let part = Array(key[1..<min(9, key.count)])
        guard !known.contains(part) else {
          skipped = part
          return false
        }
        rows.append((key, nil))
        removed += 1
        return removed < mostRemoved
      }
      if let skipped, let end = (AreaKey.Kind.partObject.prefix + skipped).successorOfPrefix {
        next = end
        isDone = false
      }
    }
    return rows
  }
}
