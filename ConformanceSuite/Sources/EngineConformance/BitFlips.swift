import Foundation
import QuarryBackend
import QuarryConformance
import QuarryCore
import QuarryQuery

/// A closed store of which bits are changed one at a time, each time opened and read: an error may come, or the same
/// objects.
///
/// Each time the store is opened anew and closed, and the byte is changed in the file itself: what was read before is in no
/// process and no cache that the engine has. The one thing that is remembered is where the bit before was found, so that
/// the next one, its neighbour, is looked for there first. Where no error comes everything is read and compared.
final class BitFlips {
  /// What a changed bit leads to.
  enum Outcome: Equatable {
    /// An error that damage may have.
    case error
    /// Everything is as it was written.
    case same
    /// What must not come: other objects, or another error.
    case wrong(String)
  }

  /// Something that is read alone: an object by its key, or an entry of the index.
  private enum Probe {
    case object(Int)
    case entry(Int)
  }

  let rows: Int
  let checksums: String
  /// The files of the store, as they are when nothing is changed.
  private let files: [StoredFile]
  let place: any BackendProvider
  private let folder: String
  private let names: Set<String>
  private let schema: Schema
  private let objects: Expected
  private let entries: Expected
  private let keys: [Key]
  private let codes: [Value]
  /// Whether bits are tried one after the other, so that it pays to find out where the damage is met.
  var tracks = true
  private var probe: Probe?
  /// The part of a file in which no probe leads to the damage.
  private var barren: Int?

  /// How many bits there are.
  var bits: Int { files.reduce(0) { $0 + $1.bytes.count * 8 } }

  /// Of the files, to tell stores apart. CRC-32C would not do: flat files have their own, so that it is the same of all.
  var checksum: String {
    String(files.flatMap(\.bytes).withBytes { XXH64.checksum($0) }, radix: 16)
  }

  /// The codes that damage may have: of data, and of what says which store it is.
  private static let codes: Set<StorageError.Code> = [
    .corrupt, .schemaTooNew, .keyRequired, .notEncrypted, .wrongKey,
  ]

  private static let model = ModelSchema(
    name: "Note",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string),
      PropertySchema(name: "code", type: .int64), PropertySchema(name: "price", type: .double, isOptional: true),
    ], primaryKey: 0, indexes: [IndexSchema(name: "code", columns: [.init(slot: 2)], isUnique: true)])

  private static func record(_ id: Int) -> Record {
    let text = String(repeating: "note \(id) ", count: id % 10 == 0 ? 600 : 4)
    return Record([
      "id": .int(Int64(id)), "text": .string(text), "code": .int(Int64(id) &* 7919 % 1_000_003),
      "price": id % 3 == 0 ? .null : .double(Double(id) / 7),
    ])
  }

  // MARK: Making

  /// Makes a store at the place, of about so many bytes, and closes it.
  ///
  /// - Parameter image: A folder with the files of a store that was made before; else they are put there. Bits that were
  ///   tried are bits of the same store then.
  init(_ harness: any ConformanceHarness, at place: any BackendProvider, bytes: Int, image: String? = nil) throws {
    self.place = place
    let count = max(20, bytes / Self.bytesOfRow(harness.name))
    try Self.make(place, rows: count, isCompacted: harness.name.hasPrefix("lmdb"))
    let paths = harness.files(at: place)
    if let image { try Self.exchange(paths, image) }
    files = try paths.map { try StoredFile($0) }
    guard let first = paths.first else {
      throw FlipFailure("there are no files")
    }
    folder = URL(fileURLWithPath: first).deletingLastPathComponent().path
    names = Set(try Self.names(in: folder))
    rows = count
    let store = try Store(opening: place, options: Self.reading)
    checksums = try store.statistics().details["checksums"] ?? "none"
    // What is compared with is what was written, and not only what is read of it.
    let records = (0..<count).map { Self.record($0).values }
    let read = try store.records.fetch(QueryTree(model: Self.model.name)).map(\.values)
    guard read == records else {
      throw FlipFailure("the store has not what was written")
    }
    try store.close()
    let backend = try place.open(Self.reading)
    defer { try? backend.close() }
    let tx = try backend.beginRead()
    defer { tx.end() }
    schema = tx.schema
    guard let model = schema.model(named: Self.model.name) else {
      throw FlipFailure("there is no model")
    }
    keys = try records.map { try Key.primary($0[0], model) }
    codes = records.map { $0[2] }.sorted { ($0.int ?? 0) < ($1.int ?? 0) }
    objects = try Expected(of: tx.cursor(Self.everyObject(model)))
    entries = try Expected(of: tx.cursor(Self.everyEntry(model)))
    guard objects.count == count, entries.count == count else {
      throw FlipFailure("the index is not of all objects")
    }
  }

  /// About how many bytes of files an object takes.
  private static func bytesOfRow(_ engine: String) -> Int {
    switch engine {
    case "sqlite": 700
    case "flat-file": 658
    default: 1_000
    }
  }

  /// - Parameter isCompacted: Before the last commit: of a store that was filled by commits many pages are free, and the
  ///   bits of these say little. A few are free after it.
  private static func make(_ place: any BackendProvider, rows count: Int, isCompacted: Bool) throws {
    let store = try Store(opening: place)
    try store.write { tx in try tx.apply(.createModel(model)) }
    let last = count - 5
    for first in stride(from: 0, to: last, by: 200) {
      let ids = first..<min(last, first + 200)
      try store.write { tx in _ = try tx.records.insert(into: model.name, ids.map(record)) }
    }
    if isCompacted { try store.compact() }
    try store.write { tx in _ = try tx.records.insert(into: model.name, (last..<count).map(record)) }
    try store.close()
  }

  /// Puts the files of an image in the place of those of a store, or makes the image.
  private static func exchange(_ paths: [String], _ image: String) throws {
    let manager = FileManager.default
    let isNew = !manager.fileExists(atPath: image)
    // The folder gets its name when all is in it.
    if isNew { try manager.createDirectory(atPath: image + ".new", withIntermediateDirectories: true) }
    for path in paths {
      let name = URL(fileURLWithPath: path).lastPathComponent
      let kept = URL(fileURLWithPath: (isNew ? image + ".new" : image) + "/" + name)
      if isNew {
        try Data(contentsOf: URL(fileURLWithPath: path)).write(to: kept)
      } else {
        try Data(contentsOf: kept).write(to: URL(fileURLWithPath: path))
      }
    }
    if isNew { try manager.moveItem(atPath: image + ".new", toPath: image) }
  }

  // MARK: Trying

  /// Changes a bit, looks, and puts it right again.
  ///
  /// - Parameter looksAtAll: Everything is read one by one, so that an error keeps nothing from being looked at, and the
  ///   sound store once more.
  func outcome(of bit: Int, looksAtAll: Bool = false) throws -> Outcome {
    guard let (number, byte, shift) = position(of: bit) else {
      throw FlipFailure("there is no bit \(bit)")
    }
    let file = files[number]
    try file.write(file.bytes[byte] ^ 1 << UInt8(shift), at: byte)
    let before = try file.state()
    var outcome = look(near: number << 32 | byte / 4_096)
    if looksAtAll, case let all = lookOneByOne(), all != .same {
      outcome = outcome == .same ? all : worse(outcome, all)
    }
    if try file.state() != before { outcome = .wrong("reading has written to \(file.path)") }
    try file.write(file.bytes[byte], at: byte)
    // What opening has left beside it would be part of the next trial.
    for name in try Self.names(in: folder) where !names.contains(name) { unlink(folder + "/" + name) }
    if looksAtAll {
      for file in files where try !file.isSound() {
        outcome = .wrong("reading has changed \(file.path)")
        try file.mend()
      }
      if case let sound = look(near: nil), sound != .same { outcome = .wrong("afterwards, put right again: \(sound)") }
    }
    return outcome
  }

  /// Changes bits in the texts of objects, and looks whether it is seen: where an engine answered from what it has kept of
  /// before, every changed bit would lead to the same objects.
  ///
  /// - Throws: A ``FlipFailure`` where it is not, or no text is found.
  func requireThatChangesAreSeen() throws {
    var seen = 0
    for number in stride(from: 0, to: rows, by: max(1, rows / 50)) {
      // Pages that are free have what they had before.
      let bits = bits(of: number)
      if bits.isEmpty { continue }
      guard try bits.contains(where: { try outcome(of: $0) != .same }) else {
        throw FlipFailure("\(name(of: bits[0])) is of the text of object \(number), and is not read")
      }
      seen += 1
    }
    if seen < min(rows, 10) { throw FlipFailure("the texts of objects are not in the files") }
  }

  /// Bits of the text of an object, one wherever it stands.
  private func bits(of number: Int) -> [Int] {
    let text = Data("note \(number) note \(number) ".utf8)
    var bits: [Int] = []
    var before = 0
    for file in files {
      let data = Data(file.bytes)
      var start = 0
      while bits.count < 1_000, let range = data.range(of: text, in: start..<data.count) {
        bits.append(before + (range.lowerBound + 5) * 8 + number % 8)
        start = range.upperBound
      }
      before += file.bytes.count * 8
    }
    return bits
  }

  /// Where a bit is, as a person reads it.
  func name(of bit: Int) -> String {
    guard let (number, byte, shift) = position(of: bit) else { return "no bit" }
    return "bit \(shift) of byte \(byte) of \(URL(fileURLWithPath: files[number].path).lastPathComponent)"
  }

  private func position(of bit: Int) -> (file: Int, byte: Int, shift: Int)? {
    var rest = bit
    for (number, file) in files.enumerated() {
      if rest < file.bytes.count * 8 { return (number, rest / 8, rest % 8) }
      rest -= file.bytes.count * 8
    }
    return nil
  }

  private func worse(_ one: Outcome, _ other: Outcome) -> Outcome { if case .wrong = one { one } else { other } }

  private static var reading: OpenOptions {
    var options = OpenOptions()
    options.isReadOnly = true
    // A plain LMDB store has no checksums, and may give other objects; with this it ends no process.
    options.checksStructure = true
    return options
  }

  /// Opens the store, reads what is near the bit before, and then everything.
  ///
  /// - Parameter part: The part of the file in which the bit is; nil to read everything and to learn nothing.
  private func look(near part: Int?) -> Outcome {
    var hasRead = false
    let outcome = judged {
      let backend = try place.open(Self.reading)
      defer { try? backend.close() }
      let tx = try backend.beginRead()
      defer { tx.end() }
      let model = try self.model(tx)
      if part != nil, let probe, let wrong = try look(at: probe, tx, model) { return wrong }
      hasRead = true
      if let wrong = try objects.difference(to: tx.cursor(Self.everyObject(model))) { return "objects: \(wrong)" }
      if let wrong = try entries.difference(to: tx.cursor(Self.everyEntry(model))) { return "entries: \(wrong)" }
      return nil
    }
    if tracks, outcome == .error, hasRead, let part, part != barren {
      probe = place(ofDamageIn: part)
      barren = probe == nil ? part : nil
    }
    return outcome
  }

  /// The first object or entry that cannot be read alone.
  private func place(ofDamageIn part: Int) -> Probe? {
    var found: Probe?
    _ = judged {
      let backend = try place.open(Self.reading)
      defer { try? backend.close() }
      let tx = try backend.beginRead()
      defer { tx.end() }
      let model = try self.model(tx)
      for probe in keys.indices.map({ Probe.object($0) }) + codes.indices.map({ Probe.entry($0) }) {
        found = probe
        _ = try look(at: probe, tx, model)
      }
      found = nil
      return nil
    }
    return found
  }

  /// Reads each object and each entry alone, whatever becomes of the others.
  private func lookOneByOne() -> Outcome {
    var outcome = Outcome.same
    let all = keys.indices.map { Probe.object($0) } + codes.indices.map { Probe.entry($0) }
    var next = 0
    while next < all.count {
      let before = next
      let result = judged {
        let backend = try place.open(Self.reading)
        defer { try? backend.close() }
        let tx = try backend.beginRead()
        defer { tx.end() }
        let model = try self.model(tx)
        while next < all.count {
          next += 1
          if let wrong = try look(at: all[next - 1], tx, model) { return wrong }
        }
        return nil
      }
      if case .wrong = result { return result }
      if result == .error { outcome = .error }
      // The store does not open.
      if next == before { break }
    }
    return outcome
  }

  private func judged(_ body: () throws -> String?) -> Outcome {
    do {
      return try body().map { .wrong($0) } ?? .same
    } catch let error as StorageError {
      return Self.codes.contains(error.code) ? .error : .wrong("\(error)")
    } catch {
      return .wrong("an error that is no StorageError: \(error)")
    }
  }

  private func model(_ tx: any BackendReadTransaction) throws -> ModelSchema {
    guard tx.schema == schema, let model = tx.schema.models.first else {
      throw StorageError(.schemaMismatch, "the schema is another one: \(tx.schema)")
    }
    return model
  }

  /// What is wrong with what is read there; nil when nothing is.
  private func look(at probe: Probe, _ tx: any BackendReadTransaction, _ model: ModelSchema) throws -> String? {
    switch probe {
    case .object(let number):
      let row = try keys[number].bytes.withBytes { key throws(StorageError) in try tx.row(model.id, key) }
      guard let row else { return "object \(number) is not there" }
      return objects.has(row, at: number) ? nil : "object \(number) is another one"
    case .entry(let number):
      var query = Self.everyEntry(model)
      query.predicate = .compare(slot: 2, .equal, codes[number])
      return try entries.difference(to: tx.cursor(query), from: number, count: 1).map { "entry \(number): \($0)" }
    }
  }

  private static func everyObject(_ model: ModelSchema) -> BoundQuery { BoundQuery(everyRowOf: model) }

  private static func everyEntry(_ model: ModelSchema) -> BoundQuery {
    BoundQuery(
      model: model.id, order: [BoundSortKey(slot: 2), BoundSortKey(slot: model.primaryKey)], projection: [2])
  }

  // MARK: Files

  private static func names(in folder: String) throws -> [String] {
    guard let directory = opendir(folder) else {
      throw FlipFailure("\(folder): errno \(errno)")
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names
  }
}
