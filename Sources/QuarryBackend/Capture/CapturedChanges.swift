/// What a transaction has changed, in the form in which it was captured: it is handed on without a copy of each row.
///
/// Unchecked because nothing changes the objects any more.
package final class CapturedChanges: @unchecked Sendable {
  /// The changes of a model.
  package struct Model {
    package let id: ModelID
    fileprivate let content: Content

    /// A model that changed, not known how.
    package static func unknown(_ id: ModelID) -> Model { Model(id: id, content: .unknown) }
  }

  fileprivate enum Content {
    case unknown
    case captured(CapturedObjects)
    case listed([ChangeSet.Change])
  }

  /// Whether anything may have changed.
  package let isUnknown: Bool
  /// The models that changed, in the order of their numbers.
  package let models: [Model]

  package init(models: [Model], isUnknown: Bool = false) {
    self.models = models
    self.isUnknown = isUnknown
  }

  /// The changes that were captured in another form.
  package convenience init(_ set: ChangeSet) {
    let models = set.models.sorted { $0.key < $1.key }.map { id, changes in
      switch changes {
      case .unknown: Model.unknown(id)
      case .objects(let list): Model(id: id, content: .listed(list))
      }
    }
    self.init(models: models, isUnknown: set.isUnknown)
  }

  /// The changes of settled objects.
  convenience init(_ objects: [CapturedObjects], isUnknown: Bool) {
    var models: [Model] = []
    for objects in objects {
      switch objects.knowledge {
      case .ignored: continue
      case .touched: models.append(.unknown(objects.model))
      case .objects:
        if !objects.changed.isEmpty { models.append(Model(id: objects.model, content: .captured(objects))) }
      }
    }
    if models.count > 1 { models.sort { $0.id < $1.id } }
    self.init(models: models, isUnknown: isUnknown)
  }

  package static var unknown: CapturedChanges { CapturedChanges(models: [], isUnknown: true) }

  /// Whether nothing changed.
  package var isEmpty: Bool { !isUnknown && models.isEmpty }

  /// The same changes as a value.
  package var changeSet: ChangeSet {
    var set = ChangeSet(isUnknown: isUnknown)
    guard !isUnknown else { return set }
    for model in models {
      switch model.content {
      case .unknown: set.models[model.id] = .unknown
      case .listed(let list): set.models[model.id] = .objects(list)
      case .captured(let objects):
        let list = objects.changed.map { place in
          let entry = objects.entries[place]
          let rows = objects.keepsRows ? entry : CapturedObjects.Entry(key: entry.key, old: .none, new: .none)
          return ChangeSet.Change(
            key: Key(copying: objects.key(place)), kind: objects.kind(place),
            old: objects.bytes(rows.old).map { Row(copying: $0) }, new: objects.bytes(rows.new).map { Row(copying: $0) }
          )
        }
        set.models[model.id] = .objects(list)
      }
    }
    return set
  }

  /// What keeping it costs: ``ChangeSet/byteCount``.
  var byteCount: Int {
    models.reduce(0) { sum, model in
      switch model.content {
      case .unknown: sum
      case .captured(let objects): sum + objects.byteCount
      case .listed(let list): list.reduce(sum) { $0 + $1.byteCount }
      }
    }
  }
}

extension CapturedChanges.Model {
  /// Whether the changed objects are known, but not all of their rows.
  package var lacksRows: Bool {
    switch content {
    case .unknown: false
    case .captured(let objects): !objects.keepsRows
    case .listed(let list): !list.allSatisfy(\.hasItsRows)
    }
  }

  /// The number of bytes in a stored change set.
  var encodedCount: Int {
    switch content {
    case .unknown: ChangeWriter.modelBytes
    case .captured(let objects):
      objects.changed.reduce(ChangeWriter.listBytes) { sum, place in
        let entry = objects.entries[place]
        return sum + ChangeWriter.count(entry.key.count, objects.row(entry.old)?.count, objects.row(entry.new)?.count)
      }
    case .listed(let list):
      list.reduce(ChangeWriter.listBytes) {
        $0 + ChangeWriter.count($1.key.bytes.count, $1.old?.bytes.count, $1.new?.bytes.count)
      }
    }
  }

  func write(to writer: inout ChangeWriter) {
    switch content {
    case .unknown: writer.append(unknown: id)
    case .captured(let objects):
      writer.append(id, count: objects.changed.count)
      for place in objects.changed {
        let entry = objects.entries[place]
        writer.append(objects.kind(place), objects.key(place), old: objects.row(entry.old), new: objects.row(entry.new))
      }
    case .listed(let list):
      writer.append(id, count: list.count)
      for change in list {
        change.key.bytes.withBytes { key in
          (change.old?.bytes ?? []).withBytes { old in
            (change.new?.bytes ?? []).withBytes { new in
              writer.append(
                change.kind, key, old: change.old == nil ? nil : old, new: change.new == nil ? nil : new)
            }
          }
        }
      }
    }
  }
}

extension CapturedObjects {
  func kind(_ place: Int) -> ChangeSet.Change.Kind {
    entries[place].old.isNone ? .insertion : entries[place].new.isNone ? .deletion : .update
  }

  /// The row of a change; nil where rows are not among the changes.
  func row(_ piece: Piece) -> UnsafeRawBufferPointer? { keepsRows ? bytes(piece) : nil }
}

extension ChangeSet.Change {
  /// Whether the rows before and after were captured.
  fileprivate var hasItsRows: Bool { (old == nil) == (kind == .insertion) && (new == nil) == (kind == .deletion) }

  /// Bytes of the key and the rows, roughly.
  var byteCount: Int {
    key.bytes.count + (old?.bytes.count ?? 0) + (new?.bytes.count ?? 0) + CapturedObjects.bytesOfEach
  }
}
