/// A letter and the key of who wrote it.
public struct Letter: Sendable, Equatable {
  public var id: Int64
  public var text: String
  public var writer: Int64

  public init(id: Int64, text: String, writer: Int64) {
    self.id = id
    self.text = text
    self.writer = writer
  }
}

/// Who writes letters.
public struct Writer: Sendable, Equatable {
  public var id: Int64
  public var name: String

  public init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }
}

/// An open store of writers and letters, as the workloads of relations see it.
///
/// It has letters twice: as *letters*, whose writer is a reference that the engine checks, indexed, with the rule that a
/// writer that is removed takes its letters along; and as *notes*, the same with an indexed column that nobody checks.
/// Implementations follow the rules of ``BenchmarkStore``.
public protocol RelatedStore: AnyObject, Sendable {
  /// Adds writers in one transaction.
  func insert(_ writers: [Writer]) throws
  /// Adds letters in one transaction, each reference checked.
  func insert(_ letters: [Letter]) throws
  /// Adds notes in one transaction.
  func insert(notes: [Letter]) throws

  /// Reads all letters into structs (C peers: every field).
  func letters() throws -> LetterDigest
  /// Reads all notes, for checks.
  func notes() throws -> LetterDigest
  /// Reads all letters, each with its writer.
  func lettersWithWriters() throws -> LetterDigest
  /// Reads the letters, in the order of their keys, whose writers have a name that begins with this text of ASCII.
  func letters(ofWritersNamed beginning: String) throws -> LetterDigest

  /// Removes a writer, and with it its letters, in one transaction.
  func delete(writer: Int64) throws
  /// Removes the notes of a writer in one transaction.
  func deleteNotes(of writer: Int64) throws

  func close() throws
}

/// What proves that every field of letters, and of those who wrote them, was read: as ``Digest``.
public struct LetterDigest: Sendable, Equatable {
  public var count = 0
  public var sum: UInt64 = 0

  @inlinable
  public init() {}

  /// - Parameters:
  ///   - text: The bytes of the letter's text.
  ///   - name: The bytes of the writer's name; 0 where it is not read.
  @inlinable
  public mutating func add(id: Int64, text: Int, writer: Int64, name: Int = 0) {
    count &+= 1
    let lengths = UInt64(truncatingIfNeeded: text &+ name &* 4096)
    sum &+= UInt64(bitPattern: id) &* 0x9E37_79B9 &+ UInt64(bitPattern: writer) &* 0x85EB_CA77 &+ lengths
  }

  /// Adds what another digest has seen.
  mutating func add(_ other: LetterDigest) {
    count &+= other.count
    sum &+= other.sum
  }
}
