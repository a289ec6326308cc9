public import QuarryBackend

// The format is described in docs/formats/postings.md.

extension PostingList {
  /// The version of the byte format.
  public static let formatVersion: UInt8 = 1

  /// The list as bytes. Equal lists have the same bytes.
  ///
  /// - Complexity: O(n).
  public func encoded() -> [UInt8] {
    var documentPart: [UInt8] = []
    var positionPart: [UInt8] = []
    var next: UInt64 = 0
    for index in documents.indices {
      let frequency = range(index).count
      Self.append((documents[index] - next) << 1 | (frequency == 1 ? 1 : 0), to: &documentPart)
      if frequency > 1 { Self.append(UInt64(frequency - 2), to: &documentPart) }
      next = documents[index] + 1
      var nextPosition: UInt64 = 0
      for position in positions(index) {
        Self.append(UInt64(position) - nextPosition, to: &positionPart)
        nextPosition = UInt64(position) + 1
      }
    }
    var bytes = [Self.formatVersion]
    Self.append(UInt64(count), to: &bytes)
    Self.append(UInt64(documentPart.count), to: &bytes)
    return bytes + documentPart + positionPart
  }

  static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Reads a list from its bytes.
  ///
  /// - Parameter bytes: The bytes of `docs/formats/postings.md`, lent for the call.
  /// - Throws: `corrupt` for bytes that are no list in its one form; `schemaTooNew` for a later version of the format.
  /// - Complexity: O(n) in time and memory.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var reader = PostingReader(bytes)
    try self.init(&reader, from: 0, positions: true)
  }

  /// Reads the rest of some bytes as a list.
  ///
  /// - Parameters:
  ///   - start: The number from which the documents are counted.
  ///   - readsPositions: Whether the positions are read. Without them the list has the frequencies alone.
  init(_ reader: inout PostingReader, from start: UInt64, positions readsPositions: Bool) throws(StorageError) {
    let count = try reader.header()
    var documentPart = try reader.part()
    // Each document takes a byte at least, and so does each position.
    guard count <= documentPart.rest else { throw PostingReader.damaged }
    documents.reserveCapacity(count)
    ends.reserveCapacity(count)
    if readsPositions { positions.reserveCapacity(reader.rest) }
    var next = start
    var end = 0
    for place in 0..<count {
      let number = try documentPart.varint()
      let (document, overflows) = next.addingReportingOverflow(number >> 1)
      guard !overflows, document - start <= Self.maximumDocument else { throw PostingReader.damaged }
      guard document < .max || place == count - 1 else { throw PostingReader.damaged }
      next = document &+ 1
      var frequency: UInt64 = 1
      if number & 1 == 0 {
        let rest = try documentPart.varint()
        guard rest <= UInt64(reader.rest) else { throw PostingReader.damaged }
        frequency = rest + 2
      }
      if readsPositions { try readPositions(frequency, &reader) }
      end += Int(frequency)
      documents.append(document)
      ends.append(end)
    }
    guard documentPart.rest == 0 else { throw PostingReader.damaged }
    guard readsPositions ? reader.rest == 0 : end <= reader.rest else { throw PostingReader.damaged }
  }

  private mutating func readPositions(_ count: UInt64, _ reader: inout PostingReader) throws(StorageError) {
    var next: UInt64 = 0
    for _ in 0..<count {
      let (position, overflows) = next.addingReportingOverflow(try reader.varint())
      guard !overflows, position <= UInt64(UInt32.max) else { throw PostingReader.damaged }
      positions.append(UInt32(position))
      next = position + 1
    }
  }

  /// Reads a list from its bytes.
  ///
  /// - Throws: `corrupt` for bytes that are no list in its one form; `schemaTooNew` for a later version of the format.
  public init(decoding bytes: [UInt8]) throws(StorageError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(StorageError) in try PostingList(decoding: bytes) }
    }
    self = try result.get()
  }
}

/// Reads numbers; each length is checked before it is used.
struct PostingReader {
  private let all: UnsafeRawBufferPointer
  private var place: Int
  private let end: Int

  static let damaged = StorageError(.corrupt, "damaged list of postings")

  init(_ bytes: UnsafeRawBufferPointer) { self.init(bytes, 0, bytes.count) }

  private init(_ bytes: UnsafeRawBufferPointer, _ place: Int, _ end: Int) {
    all = bytes
    self.place = place
    self.end = end
  }

  var rest: Int { end - place }
  /// The bytes that are not read.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: all[place..<end]) }

  private mutating func byte() throws(StorageError) -> UInt8 {
    guard place < end else { throw Self.damaged }
    defer { place += 1 }
    return all[place]
  }

  /// A number in its shortest form.
  mutating func varint() throws(StorageError) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      guard shift < 63 || shift == 63 && byte <= 1 else { throw Self.damaged }
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else { throw Self.damaged }
        return result
      }
      shift += 7
    }
  }

  /// The version and the number of documents.
  mutating func header() throws(StorageError) -> Int {
    let version = try byte()
    guard version <= PostingList.formatVersion else {
      throw StorageError(
        .schemaTooNew, "postings of format \(version); this version reads \(PostingList.formatVersion)")
    }
    guard version == PostingList.formatVersion else { throw Self.damaged }
    return try length()
  }

  private mutating func length() throws(StorageError) -> Int {
    let value = try varint()
    guard value <= UInt64(rest) else { throw Self.damaged }
    return Int(value)
  }

  /// A reader of the part that follows with its length.
  mutating func part() throws(StorageError) -> PostingReader {
    let length = try length()
    defer { place += length }
    return PostingReader(all, place, place + length)
  }
}
