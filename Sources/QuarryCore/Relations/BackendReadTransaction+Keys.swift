import QuarryBackend

extension BackendReadTransaction {
  /// The results of reading the rows with these primary keys: nil where a key is null and where there is no row. Each row is
  /// looked up once, however often its key is there.
  func rows<T>(
    _ model: ModelSchema, withKeys values: [Value], _ read: (UnsafeRawBufferPointer) throws(StorageError) -> T
  ) throws(StorageError) -> [T?] {
    var keys = DistinctKeys()
    var places: [Int?] = []
    places.reserveCapacity(values.count)
    for value in values {
      guard !value.isNull else {
        places.append(nil)
        continue
      }
      let key = try Key.primary(value, model)
      places.append(key.bytes.withUnsafeBytes { keys.place(of: $0) })
    }
    var found: [T?] = Array(repeating: nil, count: keys.keys.count)
    guard !found.isEmpty else { return Array(repeating: nil, count: values.count) }
    try rows(model.id, keys.keys) { place, row throws(StorageError) in
      if let row { found[place] = try read(row) }
    }
    return places.map { $0.flatMap { found[$0] } }
  }
}
