// The stable form of a change set: docs/formats/changes.md.

/// A change set with the commit that it is of, as it is kept and sent.
public struct CommittedChanges: Sendable, Hashable {
  /// The place of the state that the commit made.
  public var version: CommitVersion
  /// The version of the schema that the rows are of.
  public var schemaVersion: UInt64
  /// The decoded changes.
  public var changes: ChangeSet
  /// The name that the write gave as its author.
  public var author: String?

  /// Creates the description of a commit.
  ///
  /// - Parameters:
  ///   - version: The place of the state that the commit made.
  ///   - schemaVersion: The version of the schema that the rows have.
  ///   - changes: The changes of the commit.
  ///   - author: The name that the write gave as its author; nil for none. A change set with one has format 2.
  public init(version: CommitVersion, schemaVersion: UInt64, changes: ChangeSet, author: String? = nil) {
    self.version = version
    self.schemaVersion = schemaVersion
    self.changes = changes
    self.author = author
  }
}

extension CommittedChanges {
  /// `QCHG` as a number, whose bytes are stored from the last to the first.
  private static let magic: UInt32 = 0x4748_4351
  /// The first format, and the one of changes with an author.
  private static let formats: (first: UInt8, current: UInt8) = (1, 2)
  /// The flags that format 2 has for sync, which this version does not read.
  private static let syncFlags: UInt8 = 0x1E

  /// The bytes of `docs/formats/changes.md`: of equal changes the same.
  public func encoded() -> [UInt8] {
    Encoding(version: version, schemaVersion: schemaVersion, CapturedChanges(changes), author: author).bytes
  }

  /// The bytes of changes that were captured, which are written where they are needed.
  package struct Encoding {
    private let version: CommitVersion
    private let schemaVersion: UInt64
    private let changes: CapturedChanges
    private let name: [UInt8]?
    /// The number of bytes.
    package let count: Int

    package init(version: CommitVersion, schemaVersion: UInt64, _ changes: CapturedChanges, author: String?) {
      (self.version, self.schemaVersion, self.changes) = (version, schemaVersion, changes)
      name = author.map { Array($0.utf8) }
      count = changes.models.reduce(30 + (name.map { $0.count + 4 } ?? 0)) { $0 + $1.encodedCount }
    }

    /// Writes the bytes into memory that has room for ``count`` of them.
    package func write(to buffer: UnsafeMutableRawBufferPointer) {
      var writer = ChangeWriter(buffer)
      writer.append(magic)
      writer.append(name == nil ? formats.first : formats.current)
      writer.append(changes.isUnknown ? 1 : 0 as UInt8)
      writer.append(version.rawValue)
      writer.append(schemaVersion)
      if let name { name.withBytes { writer.append(counted: $0) } }
      writer.append(UInt32(changes.models.count))
      for model in changes.models { model.write(to: &writer) }
      writer.append(CRC32C.checksum(writer.written))
    }

    package var bytes: [UInt8] {
      [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        write(to: UnsafeMutableRawBufferPointer(buffer))
        filled = count
      }
    }
  }

  /// Reads what ``encoded()`` wrote.
  ///
  /// - Parameter bytes: A whole change set of `docs/formats/changes.md`, with its CRC-32C in the last four bytes.
  /// - Throws: `corrupt` for bytes in another format; `schemaTooNew` for bytes of a later format. Rows are not checked.
  /// - Complexity: O(n) for n bytes; keys and rows are copied.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var reader = ChangeReader(bytes)
    guard bytes.count >= 10, try reader.integer() == Self.magic else { throw ChangeReader.damaged }
    let format = try reader.integer(UInt8.self)
    guard format >= Self.formats.first else { throw ChangeReader.damaged }
    guard format <= Self.formats.current else {
      throw StorageError(.schemaTooNew, "the change set has format \(format), which this version of Quarry cannot read")
    }
    let body = UnsafeRawBufferPointer(rebasing: bytes.dropLast(4))
    let sum = UnsafeRawBufferPointer(rebasing: bytes.suffix(4)).loadUnaligned(as: UInt32.self)
    guard CRC32C.checksum(body) == UInt32(littleEndian: sum) else { throw ChangeReader.damaged }
    reader = ChangeReader(UnsafeRawBufferPointer(rebasing: body.dropFirst(5)))
    let flags = try reader.integer(UInt8.self)
    if format > Self.formats.first, flags & Self.syncFlags != 0 {
      throw StorageError(.schemaTooNew, "the change set has sync data, which this version of Quarry cannot read")
    }
    guard flags <= 1 else { throw ChangeReader.damaged }
    version = CommitVersion(try reader.integer())
    schemaVersion = try reader.integer()
    if format > Self.formats.first {
      guard let text = String(validating: try reader.counted(), as: UTF8.self) else { throw ChangeReader.damaged }
      author = text
    }
    changes = ChangeSet(isUnknown: flags == 1)
    var last: ModelID?
    for _ in 0..<(try reader.integer(UInt32.self)) {
      let model = ModelID(try reader.integer())
      if let last, model <= last { throw ChangeReader.damaged }
      last = model
      changes.models[model] = try reader.changes()
    }
    guard reader.isAtEnd else { throw ChangeReader.damaged }
  }
}

private struct ChangeReader {
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  static var damaged: StorageError { StorageError(.corrupt, "the stored change set is damaged") }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func bytes(_ count: Int) throws(StorageError) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= rest.count else { throw Self.damaged }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
    return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
  }

  mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self) throws(StorageError) -> T {
    T(littleEndian: try bytes(MemoryLayout<T>.size).loadUnaligned(as: T.self))
  }

  mutating func counted() throws(StorageError) -> [UInt8] {
    Array(try bytes(Int(try integer(UInt32.self))))
  }

  mutating func changes() throws(StorageError) -> ChangeSet.ModelChanges {
    switch try integer(UInt8.self) {
    case 0: return .unknown
    case 1: break
    default: throw Self.damaged
    }
    var changes: [ChangeSet.Change] = []
    for _ in 0..<(try integer(UInt64.self)) {
      let flags = try integer(UInt8.self)
      guard flags & 0xC0 == 0, let kind = ChangeSet.Change.Kind(rawValue: flags & 0x0F) else { throw Self.damaged }
      let key = Key(try counted())
      if let last = changes.last, !(last.key < key) { throw Self.damaged }
      let old = flags & 0x10 == 0 ? nil : Row(try counted())
      let new = flags & 0x20 == 0 ? nil : Row(try counted())
      guard kind != .insertion || old == nil, kind != .deletion || new == nil else { throw Self.damaged }
      changes.append(ChangeSet.Change(key: key, kind: kind, old: old, new: new))
    }
    return .objects(changes)
  }
}

/// Writes a change set into bytes of which there are enough.
struct ChangeWriter {
  private let bytes: UnsafeMutableRawBufferPointer
  private var count = 0

  init(_ bytes: UnsafeMutableRawBufferPointer) {
    self.bytes = bytes
  }

  /// The bytes of a model whose objects are unknown, and those before the objects of another.
  static let modelBytes = 5
  static let listBytes = 13

  /// The bytes of an object.
  static func count(_ key: Int, _ old: Int?, _ new: Int?) -> Int {
    5 + key + (old.map { $0 + 4 } ?? 0) + (new.map { $0 + 4 } ?? 0)
  }

  var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<count]) }

  mutating func append<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
    bytes.storeLittleEndian(value, at: count)
    count += MemoryLayout<T>.size
  }

  private mutating func append(raw source: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: source)
    count += source.count
  }

  mutating func append(counted source: UnsafeRawBufferPointer) {
    append(UInt32(source.count))
    append(raw: source)
  }

  mutating func append(unknown model: ModelID) {
    append(model.rawValue)
    append(0 as UInt8)
  }

  mutating func append(_ model: ModelID, count: Int) {
    append(model.rawValue)
    append(1 as UInt8)
    append(UInt64(count))
  }

  mutating func append(
    _ kind: ChangeSet.Change.Kind, _ key: UnsafeRawBufferPointer, old: UnsafeRawBufferPointer?,
    new: UnsafeRawBufferPointer?
  ) {
    append(kind.rawValue | (old == nil ? 0 : 0x10) | (new == nil ? 0 : 0x20))
    append(counted: key)
    if let old { append(counted: old) }
    if let new { append(counted: new) }
  }
}
