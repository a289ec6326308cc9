import Foundation
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryDump
import QuarryEngines

/// What comes as a file: tables, dumps, stores.
extension FuzzTarget {
  // MARK: Tables

  private static let tableCodes: Set<StorageError.Code> = [.invalidValue, .limitExceeded, .unsupported, .missingValue]

  static let csv = FuzzTarget(
    "csv", "tables of comma-separated values", codes: tableCodes,
    seeds: {
      [
        "id,name,price\n1,a,0.5\n2,\"b,\"\"c\"\"\",\n", "\u{FEFF}a,b\r\n\"x\ny\",2020-01-01T00:00:00Z\r\n",
        "u,f\n00010203-0405-0607-0809-0A0B0C0D0EFF,true\n,false\n", "a;b\n1,5;1.10\nNA;32E0134\n",
        "a\tb|c\n0.00001\t1e-05\n",
      ].map { Array($0.utf8) } + [
        [0xFF, 0xFE] + "a,b\n1,x\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
        Array("id,n\n1,M".utf8) + [0xFC, 0x0A],
      ]
    }
  ) { try table($0, .csv, in: csvFolder) }

  static let jsonLines = FuzzTarget(
    "json-lines", "tables of JSON, line by line", codes: tableCodes,
    seeds: {
      [
        "{\"id\":1,\"name\":\"a\",\"tags\":[1,2]}\n{\"id\":2,\"in\":{\"a\":null}}\n",
        "{\"a\":1e3,\"b\":\"\\ud83d\\ude42\"}",
        "{\"d\":\"2020-01-01T00:00:00Z\",\"n\":18446744073709551615}\n\n{\"d\":null,\"n\":-0.0}",
        "[{\"id\":1,\"s\":\"],{\"},\n {\"id\":2,\"a\":[{\"b\":0}]}]\n",
      ].map { Array($0.utf8) }
    }
  ) { try table($0, .jsonl, in: jsonLinesFolder) }

  private static let csvFolder = Result { try FuzzFolder() }
  private static let jsonLinesFolder = Result { try FuzzFolder() }

  /// What was found of the columns must do for each row, and a row that is set in place must have the values of one that is
  /// read.
  private static func table(
    _ input: UnsafeRawBufferPointer, _ format: DataFormat, in folder: Result<FuzzFolder, any Error>
  ) throws -> String? {
    let folder = try folder.get()
    try folder.reset("table", input)
    var file = DataFile(path: folder.path(of: "table"), format: format)
    // What is said of the file follows from the input, so that an input that was kept is read in the same way again.
    let choice = XXH64.checksum(input)
    choose(&file, choice)
    file = try file.resolved().file
    let inference = try file.infer()
    let model = ModelSchema(name: "T", properties: inference.properties, primaryKey: 0)
    let layout = RowLayout(model)
    let writer = RowWriter(layout)
    var rows = 0
    do throws(StorageError) {
      var values = try file.rows(as: inference.properties)
      var inPlace = try file.rows(as: inference.properties)
      while let row = try values.next() {
        rows += 1
        if row.count != inference.properties.count { return "row \(rows) has \(row.count) values" }
        writer.begin()
        guard try inPlace.next(into: writer, layout.slots) else { return "row \(rows) is not there in place" }
        let view = try RowView(try writer.finish(), layout)
        for (slot, value) in zip(layout.slots, row) where try view.value(slot, layout) != value {
          return "row \(rows) has \(value) in slot \(slot.index), and \(try view.value(slot, layout)) in place"
        }
        if values.line != inPlace.line { return "row \(rows) is in line \(values.line), in place in \(inPlace.line)" }
      }
    } catch {
      // A cell need not be of the type that was said.
      if !file.types.isEmpty, error.code == .invalidValue { return nil }
      return "columns were found, and a row does not fit them: \(error)"
    }
    return rows == inference.rows ? nil : "\(inference.rows) rows were counted, and \(rows) read"
  }

  /// Says something of a file, or nothing: of half of the inputs everything is found.
  private static func choose(_ file: inout DataFile, _ choice: UInt64) {
    guard choice & 1 == 1 else { return }
    let encodings: [TextEncoding?] = [
      nil, .utf8, .latin1, .windows1252, .utf16LittleEndian, .utf16BigEndian, nil, .utf8,
    ]
    file.encoding = encodings[Int(choice >> 1 & 7)]
    guard file.format == .csv else {
      if choice >> 4 & 1 == 1 { file.format = .json }
      return
    }
    let delimiters: [UInt8?] = [nil, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "a")]
    file.delimiter = delimiters[Int(choice >> 4 & 3)]
    if choice >> 6 & 1 == 1 { file.nullTexts = ["a", "NA"] }
    if choice >> 7 & 3 == 3, let name = (try? file.columnNames())?.first {
      let types = PropertyType.allCases.filter(\.isOrdered)
      file.types = [.init(name: name, type: types[Int(choice >> 9) % types.count], isOptional: choice >> 20 & 1 == 1)]
    }
    file.emptyAsText = choice >> 21 & 1 == 1
  }

  // MARK: Dumps

  private static let dumps = Result { try FuzzFolder() }

  static let dump = FuzzTarget(
    "dump", "dumps, with right checksums put in where the first byte is odd",
    codes: [
      .corrupt, .schemaTooNew, .limitExceeded, .unsupported, .schemaMismatch, .invalidValue, .duplicateKey,
      .uniqueViolation, .missingReference,
    ],
    seeds: {
      let store = try Store(opening: MemoryConfiguration())
      try FuzzModel.fill(store, rows: 2)
      return [
        [0] + (try written(store)), [1] + (try written(store)),
        [0] + (try written(Store(opening: MemoryConfiguration()))),
      ]
    }
  ) { input in
    guard let first = input.first else { return nil }
    let folder = try dumps.get()
    let bytes = first & 1 == 0 ? Array(input.from(1)) : DumpRepair.withChecksums(input.from(1))
    try folder.reset("dump", bytes)
    let place = MemoryConfiguration(name: "fuzz-dump")
    defer { try? Store(opening: place).destroy() }
    try Store.restore(folder.path(of: "dump"), to: place)
    let store = try Store(opening: place)
    let once = try written(store)
    try store.close()
    try? Store(opening: place).destroy()
    // What a dump makes is dumped as the same bytes for ever.
    try folder.reset("dump", once)
    try Store.restore(folder.path(of: "dump"), to: place)
    return try written(Store(opening: place)) == once ? nil : "dumped, restored and dumped again it is another dump"
  }

  private static func written(_ store: Store) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try store.dump { bytes += $0 }
    return bytes
  }

  // MARK: Stores

  private static let flatFiles = Result { try FuzzFolder() }
  private static let databases = Result { try FuzzFolder() }
  private static let environments = Result { try FuzzFolder() }
  private static let storeCodes: Set<StorageError.Code> = [
    .corrupt, .schemaTooNew, .keyRequired, .limitExceeded, .unsupported, .invalidValue, .missingValue,
  ]

  /// The bytes of a new store.
  private static func seed(rows: Int, in place: some BackendProvider, whoseFileIs path: String) throws -> [UInt8] {
    let store = try Store(opening: place)
    if rows > 0 { try FuzzModel.fill(store, rows: rows) }
    try store.close()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  static let flatFile = FuzzTarget(
    "flat-file", "flat files, with right checksums put in where the first byte is odd", codes: storeCodes,
    seeds: {
      let folder = try FuzzFolder()
      return try [0, 4].flatMap { rows in
        let path = folder.path(of: "seed-\(rows)")
        let bytes = try seed(rows: rows, in: FlatFileConfiguration(path: path), whoseFileIs: path)
        return [[0] + bytes, [1] + bytes]
      }
    }
  ) { input in
    guard let first = input.first else { return nil }
    let bytes = first & 1 == 0 ? Array(input.from(1)) : FlatFileRepair.withChecksums(input.from(1))
    return try store("store", bytes, in: flatFiles) { FlatFileConfiguration(path: $0.path(of: "store")) }
  }

  static let sqlite = FuzzTarget(
    "sqlite", "SQLite databases, with checksums and without", codes: storeCodes.union([.io, .notFound]),
    seeds: {
      let folder = try FuzzFolder()
      return try [true, false].map { hasChecksums in
        let path = folder.path(of: "seed-\(hasChecksums)")
        return try seed(
          rows: 4, in: SQLiteConfiguration(path: path, checksums: hasChecksums), whoseFileIs: path)
      }
    }
  ) { input in
    try store("store", Array(input), in: databases) { SQLiteConfiguration(path: $0.path(of: "store"), readers: 1) }
  }

  static let lmdb = FuzzTarget(
    "lmdb", "LMDB environments without checksums, whose structure is looked at",
    codes: storeCodes.union([.io, .notFound]),
    seeds: {
      try [0, 4].map { rows in
        let folder = try FuzzFolder()
        return try seed(
          rows: rows, in: LMDBConfiguration(path: folder.path), whoseFileIs: folder.path(of: "data.mdb"))
      }
    }
  ) { input in
    // Who opens waits for the rest of what has no two pages yet: another process may be making it.
    let bytes = Array(input) + Array(repeating: 0, count: max(0, 2 * 4096 - input.count))
    return try store("data.mdb", bytes, in: environments) { LMDBConfiguration(path: $0.path, mapBytes: 64 << 20) }
  }

  /// What can be read of a store is the same when it is read once more; one input in four is.
  ///
  /// - Parameter name: That of the store's file in the folder.
  private static func store(
    _ name: String, _ bytes: [UInt8], in folder: Result<FuzzFolder, any Error>,
    _ place: (FuzzFolder) -> some BackendProvider
  ) throws -> String? {
    let folder = try folder.get()
    try folder.reset(name, bytes)
    var options = OpenOptions()
    options.checksStructure = true
    options.createsIfMissing = false
    options.busyTimeout = 0
    options.durability = BackendManifest.Durability.none
    func look(checks: Bool) throws -> [[Record]] {
      let store = try Store(opening: place(folder), options: options)
      defer { try? store.close() }
      if checks { _ = try? store.check() }
      return try FuzzModel.content(store)
    }
    let seen: [[Record]]
    do {
      seen = try look(checks: true)
    } catch let error as StorageError where error.code == .notFound {
      return bytes.isEmpty || bytes.count < 4096 ? nil : "there is no store in \(bytes.count) bytes"
    }
    guard bytes.withBytes({ XXH64.checksum($0) }) % 4 == 0 else { return nil }
    let again = try Result { try look(checks: false) }.mapError { $0 as any Error }.get()
    return seen == again ? nil : "read once more it has other content"
  }
}
