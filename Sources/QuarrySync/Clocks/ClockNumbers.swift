import QuarryBackend

/// The numbers that the clocks of a store use for models, their columns and replicas. They are only added.
struct ClockNumbers: Sendable, Hashable {
  /// The columns of a model in one version of the schema. A clock has a time for each of them.
  struct Layout: Sendable, Hashable {
    var model: SyncName
    var columns: [SyncName]
  }

  private(set) var layouts: [Layout] = []
  private(set) var replicas: [ReplicaID] = []
  /// Of each model, the first layout, which is its number, and the last one, which new clocks have.
  private var places: [SyncName: (number: Int, current: Int)] = [:]
  private var numbers: [ReplicaID: Int] = [:]

  init() {}

  static func == (left: ClockNumbers, right: ClockNumbers) -> Bool {
    left.layouts == right.layouts && left.replicas == right.replicas
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(layouts)
    hasher.combine(replicas)
  }

  /// The number of a model; nil for one whose objects have no clocks.
  func number(of model: SyncName) -> Int? { places[model]?.number }

  /// The layout of a model's new clocks.
  func layout(of model: SyncName) -> Int? { places[model]?.current }

  func number(of replica: ReplicaID) -> Int? { numbers[replica] }

  /// The model with a number.
  func model(_ number: Int) -> SyncName? { layouts.indices.contains(number) ? layouts[number].model : nil }

  /// Gives a model the columns that it has now.
  mutating func set(_ columns: [SyncName], of model: SyncName) {
    if let known = places[model], layouts[known.current].columns == columns { return }
    add(Layout(model: model, columns: columns))
  }

  private mutating func add(_ layout: Layout) {
    places[layout.model] = (places[layout.model]?.number ?? layouts.count, layouts.count)
    layouts.append(layout)
  }

  /// The number of a replica, which gets one; nil where too many have one.
  mutating func add(_ replica: ReplicaID) -> Int? {
    if let known = numbers[replica] { return known }
    guard replicas.count < SyncLimits.replicas else { return nil }
    numbers[replica] = replicas.count
    replicas.append(replica)
    return replicas.count - 1
  }

  func encode(to writer: inout SyncWriter) {
    writer.list(layouts) { writer, layout in
      writer.name(layout.model)
      writer.list(layout.columns) { $0.name($1) }
    }
    writer.list(replicas) { $0.replica($1) }
  }

  init(from reader: inout SyncReader) throws(StorageError) {
    let layouts = try reader.list { reader throws(StorageError) in
      Layout(model: try reader.name(), columns: try reader.list { reader throws(StorageError) in try reader.name() })
    }
    for layout in layouts {
      guard Set(layout.columns).count == layout.columns.count else { throw SyncReader.damaged }
      add(layout)
    }
    for replica in try reader.list({ reader throws(StorageError) in try reader.replica() }) {
      guard numbers[replica] == nil, add(replica) != nil else { throw SyncReader.damaged }
    }
  }
}

// MARK: Records

extension ClockNumbers {
  /// The key of an object's record.
  func key(_ object: ObjectID) -> [UInt8] { clockKey(object) ?? AreaKey.record(object) }

  private func clockKey(_ object: ObjectID) -> [UInt8]? {
    number(of: object.model).flatMap { AreaKey.clock($0, object.key.syncBytes) }
  }

  /// The stored form of a record.
  ///
  /// - Parameter row: The row of the object in its table, which has the values of the record where it can.
  mutating func encode(_ object: ObjectID, _ births: Births, _ deaths: Deaths, row: SyncRow?) -> [UInt8] {
    let isClock = clockKey(object) != nil
    if isClock, let layout = layout(of: object.model),
      let plain = PlainClock(births, deaths, row, layout, layouts[layout].columns),
      let bytes = plain.encoded({ add($0) })
    {
      return bytes
    }
    var writer = SyncWriter()
    writer.change(ObjectChange(object, births: births, deaths: deaths))
    return isClock ? [0] + writer.bytes : writer.bytes
  }

  /// The object whose clock has a key.
  func object(_ key: [UInt8]) throws(StorageError) -> ObjectID {
    try key.withBytes { bytes throws(StorageError) in
      var reader = ClockReader(bytes)
      _ = try reader.byte()
      let number = try reader.varint()
      guard let number = Int(exactly: number), let model = model(number) else { throw SyncReader.damaged }
      return ObjectID(model, try NestedCoding.decode(UnsafeRawBufferPointer(rebasing: bytes[reader.position...])))
    }
  }

  /// A clock of any form.
  ///
  /// - Parameter row: The values of the object, where the clock has none.
  func decode(
    _ object: ObjectID, _ bytes: UnsafeRawBufferPointer, row: SyncRow?
  ) throws(StorageError) -> ObjectChange {
    guard let plain = try plain(bytes) else {
      var reader = try SyncReader(Array(bytes.dropFirst())[...])
      let change = try reader.change()
      try reader.finish()
      guard change.object == object else { throw SyncReader.damaged }
      return change
    }
    guard layouts[plain.layout].model == object.model else { throw SyncReader.damaged }
    return ObjectChange(object, births: [plain.birth: plain.record(layouts[plain.layout].columns, row)])
  }

  /// A clock whose values are in the row; nil for a record with values.
  func plain(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> PlainClock? {
    var reader = ClockReader(bytes)
    let form = try reader.varint()
    if form == 0 { return nil }
    guard form <= UInt64(layouts.count) else { throw SyncReader.damaged }
    let layout = Int(form) - 1
    return try PlainClock(&reader, layout: layout, columns: layouts[layout].columns.count, replicas)
  }

  /// The stored form of an object that was deleted.
  ///
  /// - Parameter stamp: The stamp of the delete, which had seen all of the clock.
  func grave(_ object: ObjectID, _ clock: PlainClock, _ stamp: Stamp) -> [UInt8] {
    var death = Death(stamp: stamp)
    for (column, seen) in zip(layouts[clock.layout].columns, clock.stamps) { death.columns[column] = seen }
    var writer = SyncWriter()
    writer.change(ObjectChange(object, deaths: [clock.birth: death]))
    return [0] + writer.bytes
  }
}
