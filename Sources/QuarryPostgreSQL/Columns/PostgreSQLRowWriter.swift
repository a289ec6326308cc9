#if PostgreSQL
  import QuarryBackend

  /// Writes rows as the parameters of a statement and as the tuples of a copy.
  struct PostgreSQLRowWriter {
    let table: PostgreSQLTable
    private let layout: RowLayout
    /// Completes rows that were written before their model had all its slots.
    private let completing: RowWriter

    init(_ table: PostgreSQLTable) {
      self.table = table
      layout = table.layout
      completing = RowWriter(table.layout)
    }

    /// The row with all slots.
    private func whole(_ row: RowView) throws(StorageError) -> RowView {
      if row.slotCount == layout.slotCount { return row }
      completing.begin()
      for slot in layout.slots where slot.isLive { try completing.copy(slot, from: row, layout) }
      return try RowView(try completing.finish(), layout)
    }

    /// The fields of some columns of a row as parameters, in their order, followed by the exact trees where the table has the
    /// column for them.
    ///
    /// - Throws: `missingValue` for null in a property that is not optional; `corrupt`.
    func add(
      _ row: RowView, _ columns: [PostgreSQLColumn], withExact: Bool, to parameters: inout PostgreSQLParameters
    ) throws(StorageError) {
      let row = try whole(row)
      var exact = ExactTrees()
      for place in columns.indices {
        let field = columns[place].field
        try parameters.add(field.kind.type) { (bytes) throws(StorageError) in
          try append(row, field, to: &bytes, &exact)
        }
      }
      guard withExact else { return }
      try parameters.add(PostgreSQLType.bytea) { (bytes) throws(StorageError) in
        bytes.append(contentsOf: exact.bytes)
        return !exact.bytes.isEmpty
      }
    }

    /// - Returns: Whether there is a value.
    private func append(
      _ row: RowView, _ field: PostgreSQLField, to bytes: inout [UInt8], _ exact: inout ExactTrees
    ) throws(StorageError) -> Bool {
      guard !row.isNull(field.slot) else {
        guard field.slot.isOptional else {
          throw StorageError.missingValue.with(
            model: table.model.name, property: table.model.properties[Int(field.slot.index)].name)
        }
        return false
      }
      try PostgreSQLValueWriter.append(row, field, to: &bytes, &exact)
      return true
    }

    /// Appends a row as a tuple of a copy in the binary form.
    func append(tuple row: RowView, to bytes: inout [UInt8]) throws(StorageError) {
      let row = try whole(row)
      var exact = ExactTrees()
      PostgreSQLValueWriter.append(Int16(table.live.count + (table.hasTrees ? 1 : 0)), to: &bytes)
      let live = table.live
      for place in live.indices {
        let field = live[place].field
        try Self.field(&bytes) { (bytes) throws(StorageError) in try append(row, field, to: &bytes, &exact) }
      }
      guard table.hasTrees else { return }
      try Self.field(&bytes) { (bytes) throws(StorageError) in
        bytes.append(contentsOf: exact.bytes)
        return !exact.bytes.isEmpty
      }
    }

    /// Appends a field with its length before it; -1 for NULL.
    static func field(
      _ bytes: inout [UInt8], _ write: (inout [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) {
      let start = bytes.count
      PostgreSQLValueWriter.append(-1 as Int32, to: &bytes)
      guard try write(&bytes) else { return }
      let length = Int32(clamping: bytes.count - start - 4)
      withUnsafeBytes(of: length.bigEndian) { for (place, byte) in $0.enumerated() { bytes[start + place] = byte } }
    }

    /// An array of keys as one parameter.
    func add(_ keys: some Collection<Key>, to parameters: inout PostgreSQLParameters) throws(StorageError) {
      let column = table.key
      try parameters.add(column.kind.arrayType) { (bytes) throws(StorageError) in
        // One dimension without NULL, from 1 on.
        let head: [Int32] = keys.isEmpty ? [0, 0] : [1, 0]
        for number in head { PostgreSQLValueWriter.append(number, to: &bytes) }
        PostgreSQLValueWriter.append(column.kind.type, to: &bytes)
        guard !keys.isEmpty else { return true }
        PostgreSQLValueWriter.append(Int32(clamping: keys.count), to: &bytes)
        PostgreSQLValueWriter.append(1 as Int32, to: &bytes)
        for key in keys {
          try Self.field(&bytes) { (bytes) throws(StorageError) in
            try key.bytes.withBytes { (key) throws(StorageError) in
              try PostgreSQLValueWriter.append(key: key, column, to: &bytes)
            }
            return true
          }
        }
        return true
      }
    }

    /// A key as a parameter.
    func add(key: UnsafeRawBufferPointer, to parameters: inout PostgreSQLParameters) throws(StorageError) {
      let column = table.key
      try parameters.add(column.kind.type) { (bytes) throws(StorageError) in
        try PostgreSQLValueWriter.append(key: key, column, to: &bytes)
        return true
      }
    }
  }
#endif
