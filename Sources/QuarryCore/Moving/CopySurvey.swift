import QuarryBackend

/// Checks whether a destination can hold the data to copy, before the first row is written.
struct CopySurvey {
  private let source: any BackendReadTransaction
  private let backend: any Backend
  private let target: any Backend
  private let options: CopyOptions

  /// - Parameters:
  ///   - source: The state that is copied.
  ///   - backend: The backend of the state.
  init(
    _ source: any BackendReadTransaction, of backend: any Backend, _ target: any Backend, _ options: CopyOptions
  ) {
    self.source = source
    self.backend = backend
    self.target = target
    self.options = options
  }

  // MARK: Models

  /// - Throws: `unsupported`, `limitExceeded` for a model that the destination's engine cannot hold.
  func requireModels() throws(StorageError) {
    let manifest = target.manifest
    if source.schema.programVersion != nil { try manifest.require(.schemaSetVersion) }
    for model in source.schema.models {
      do throws(StorageError) {
        for capability in Self.needs(of: model) { try manifest.require(capability) }
      } catch {
        throw error.with(model: model.name)
      }
      let count = model.liveSlots.count
      if let limit = manifest.limits.properties, count > limit {
        throw .limitExceeded("properties of a model", limit: limit, actual: count, model: model.name)
      }
    }
  }

  private static func needs(of model: ModelSchema) -> Set<Capability> {
    var needs: Set<Capability> = [.schemaCreateModel]
    for index in model.indexes {
      needs.insert(.schemaCreateIndex)
      needs.insert(index.isUnique ? .indexUnique : .indexPlain)
      if index.columns.count > 1 { needs.insert(.indexCompound) }
      if index.columns.contains(where: \.isDescending) { needs.insert(.indexDescending) }
    }
    return needs
  }

  // MARK: Rows

  /// Reads all rows where the destination takes smaller ones than the source, or its disk is nearly full. Otherwise it reads
  /// nothing, unless the destination knows the capacity of its disk and the source does not know its own size.
  ///
  /// - Throws: `limitExceeded` for a row that is too large, or its key. `full`, with both numbers, for more text and data than
  ///   the disk takes, which every engine stores byte by byte; `CancellationError`.
  func requireRows() throws {
    let space = try (backend as? any CompactingBackend)?.space()
    let limits = narrowerLimits(sourceBytes: space?.bytes)
    let room = freeBytes(forSource: space.map { $0.bytes - $0.freeBytes })
    guard limits.rowBytes != nil || limits.keyBytes != nil || room != nil else { return }
    var needed = 0
    for model in source.schema.models {
      do throws(StorageError) {
        needed += try textBytes(of: model, limits)
      } catch {
        throw error.with(model: model.name)
      }
      if options.progress?.isCancelled == true { throw CancellationError() }
    }
    if let room, needed > room {
      throw StorageError(
        .full,
        "the copy needs at least \(needed) bytes, and the destination's disk has \(room) left: nothing was written")
    }
  }

  /// The limits of the destination that a row of the source may be beyond.
  private func narrowerLimits(sourceBytes: Int?) -> BackendManifest.Limits {
    let (from, to) = (backend.manifest.limits, target.manifest.limits)
    func narrower(_ limit: Int?, than other: Int?) -> Int? {
      guard let limit, limit < other ?? .max else { return nil }
      // A store that is smaller has no such row.
      if let sourceBytes, sourceBytes <= limit { return nil }
      return limit
    }
    return BackendManifest.Limits(
      keyBytes: narrower(to.keyBytes, than: from.keyBytes), rowBytes: narrower(to.rowBytes, than: from.rowBytes))
  }

  /// The capacity of the destination's disk, including the destination's present size; nil where it is enough, or not known.
  ///
  /// - Parameter used: The size of the source in bytes; nil where it does not know, and its rows have to be measured.
  private func freeBytes(forSource used: Int?) -> Int? {
    guard let free = (target as? any DiskSpaceReporting)?.freeDiskBytes(), free < used ?? .max else { return nil }
    return free + ((try? (target as? any CompactingBackend)?.space())?.bytes ?? 0)
  }

  /// The bytes of the text and data of all rows of a model.
  private func textBytes(of model: ModelSchema, _ limits: BackendManifest.Limits) throws(StorageError) -> Int {
    let rows = RowProjection(model)
    let keys = KeyWriter()
    let layout = RowLayout(rows.model)
    let texts = rows.model.properties.indices.filter { [.string, .data].contains(rows.model.properties[$0].type) }
    let cursor = try source.cursor(BoundQuery(everyRowOf: model))
    defer { cursor.close() }
    let pointers = RowPointers()
    var bytes = 0
    while true {
      let count = try cursor.fill(pointers.buffer)
      if count == 0 || options.progress?.isCancelled == true { return bytes }
      for stored in pointers.buffer[..<count] {
        let row = try rows.row(stored)
        if let limit = limits.rowBytes, row.count > limit {
          throw .limitExceeded("bytes of a row", limit: limit, actual: row.count, model: model.name)
        }
        let view = try RowView(row, layout)
        for slot in texts where !view.isNull(layout.slots[slot]) { bytes += try view.bytes(layout.slots[slot]).count }
        guard let limit = limits.keyBytes else { continue }
        keys.removeAll()
        try keys.append(view, layout.keySlot, layout, isDescending: false, isLast: true)
        if keys.bytes.count > limit {
          throw .limitExceeded(
            "bytes of a primary key", limit: limit, actual: keys.bytes.count, model: model.name,
            property: model.keyProperty.name)
        }
      }
    }
  }
}
