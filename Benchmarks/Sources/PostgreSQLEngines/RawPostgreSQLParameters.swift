#if PostgreSQL
  import BenchmarkHarness

  /// The parameters of a statement in the server's binary form, or the fields of a row of a copy.
  struct RawPostgreSQLParameters: ~Copyable {
    // The server's numbers of types.
    static let int8: UInt32 = 20
    static let float8: UInt32 = 701
    static let text: UInt32 = 25
    static let bool: UInt32 = 16
    static let person = [int8, text, text, int8, float8, float8, bool, text]

    /// Never empty, because libpq takes a parameter without an address for NULL.
    private(set) var bytes: [UInt8] = [0]
    /// Where each begins; -1 for NULL.
    private var starts: [Int] = []
    private var lengths: [CInt] = []
    private var formats: [CInt] = []

    init() {}

    init(_ key: Int64) { add(key) }

    mutating func add(_ value: Int64) { add(integer: value) }
    mutating func add(_ value: Double) { add(integer: value.bitPattern) }
    mutating func add(_ value: Bool) { add(integer: value ? 1 : 0 as UInt8) }

    mutating func add(_ value: String?) {
      guard var value else { return note(start: -1) }
      let start = bytes.count
      value.withUTF8 { bytes.append(contentsOf: $0) }
      note(start: start)
    }

    mutating func add(_ person: borrowing Person) {
      add(person.id)
      add(person.name)
      add(person.email)
      add(Int64(person.age))
      add(person.score)
      add(person.created.timeIntervalSinceReferenceDate)
      add(person.active)
      add(person.notes)
    }

    private mutating func add(integer: some FixedWidthInteger) {
      let start = bytes.count
      withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
      note(start: start)
    }

    private mutating func note(start: Int) {
      starts.append(start)
      lengths.append(CInt(start < 0 ? 0 : bytes.count - start))
      formats.append(1)
    }

    /// Lends the addresses, lengths and formats for a call of libpq.
    borrowing func withPointers<R>(_ body: ([UnsafePointer<CChar>?], [CInt], [CInt]) -> R) -> R {
      bytes.withUnsafeBytes { all in
        let base = all.baseAddress?.assumingMemoryBound(to: CChar.self)
        return body(starts.map { start in start < 0 ? nil : base.map { $0 + start } }, lengths, formats)
      }
    }
  }

  /// Rows in the binary form of COPY.
  struct RawPostgreSQLRows: ~Copyable {
    /// The signature, no flags, no extension.
    private(set) var bytes: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]

    mutating func add(_ person: Person) {
      add(integer: 8 as Int16)
      add(field: person.id)
      add(text: person.name)
      add(text: person.email)
      add(field: Int64(person.age))
      add(field: person.score.bitPattern)
      add(field: person.created.timeIntervalSinceReferenceDate.bitPattern)
      add(field: person.active ? 1 : 0 as UInt8)
      if let notes = person.notes { add(text: notes) } else { add(integer: -1 as Int32) }
    }

    mutating func end() { add(integer: -1 as Int16) }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    private mutating func add(integer: some FixedWidthInteger) {
      withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func add<T: FixedWidthInteger>(field: T) {
      add(integer: Int32(MemoryLayout<T>.size))
      add(integer: field)
    }

    private mutating func add(text: String) {
      var text = text
      text.withUTF8 { text in
        add(integer: Int32(text.count))
        bytes.append(contentsOf: text)
      }
    }
  }
#endif
