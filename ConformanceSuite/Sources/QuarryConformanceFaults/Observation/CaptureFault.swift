import QuarryBackend
import QuarryConformance

/// What an engine may say wrong of what a commit has changed, and of which commit it is.
enum CaptureFault: String, FaultGroup, Twist {
  static let group = "capture"

  case insertionsAreLost, updatesAreLost, deletionsAreLost, firstIsLost, lastIsLost, oneModelOnly
  case updateIsInsertion, insertionIsUpdate, deletionIsUpdate
  case oldIsMissing, newIsMissing, newIsOld, oldIsNew, keysAreReversed, keyIsTwice
  case rowsWithKeys, keysForRows, objectsAreUnknown, allIsUnknown, allIsEmpty, nothingIsUnknown
  case othersAreCaptured, othersAreForgotten, touchedIsForgotten, unknownIsForgotten, schemaIsKnown
  case versionIsBefore, versionIsAhead, versionStands

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .insertionsAreLost: ("Objects that were added are not captured.", ["OBS-1", "OBS-17"])
    case .updatesAreLost: ("Objects that were changed are not captured.", ["OBS-1", "OBS-17"])
    case .deletionsAreLost: ("Objects that were removed are not captured.", ["OBS-1", "OBS-17"])
    case .firstIsLost: ("The first object of a commit is not captured.", ["OBS-2", "OBS-17"])
    case .lastIsLost: ("The last object of a commit is not captured where there are several.", ["OBS-2", "OBS-17"])
    case .oneModelOnly: ("Of several models that a commit has changed one is captured.", ["OBS-7"])
    case .updateIsInsertion: ("An object that was changed is one that was added.", ["OBS-7", "OBS-17"])
    case .insertionIsUpdate: ("An object that was added is one that was changed.", ["OBS-7", "OBS-17"])
    case .deletionIsUpdate: ("An object that was removed is one that was changed.", ["OBS-7", "OBS-17"])
    case .oldIsMissing: ("The rows before are not captured.", ["OBS-17"])
    case .newIsMissing: ("The rows after are not captured.", ["OBS-17"])
    case .newIsOld: ("The rows after are those before.", ["OBS-2", "OBS-17"])
    case .oldIsNew: ("The rows before are those after.", ["OBS-2", "OBS-17"])
    case .keysAreReversed: ("Objects come in the wrong order.", ["OBS-7", "OBS-17"])
    case .keyIsTwice: ("An object is captured twice.", ["OBS-17"])
    case .rowsWithKeys: ("Rows are captured where keys were asked for.", ["OBS-17"])
    case .keysForRows: ("Keys are captured where rows were asked for.", ["OBS-17"])
    case .objectsAreUnknown: ("It is never known which objects changed.", ["OBS-17"])
    case .allIsUnknown: ("It is never known what changed.", ["OBS-7", "OBS-17"])
    case .allIsEmpty: ("Nothing is captured, and that is said to be all.", ["OBS-1", "OBS-17"])
    case .nothingIsUnknown: ("Of a commit that changed nothing it is not known.", ["OBS-17"])
    case .othersAreCaptured: ("Models are captured that were not asked for.", ["OBS-17"])
    case .othersAreForgotten: ("Only models that are named are captured.", ["OBS-7", "OBS-17"])
    case .touchedIsForgotten:
      ("A model is not captured of which only that was asked for.", ["OBS-9", "OBS-16", "OBS-17"])
    case .unknownIsForgotten: ("More than is kept is said to be nothing.", ["OBS-1", "OBS-17"])
    case .schemaIsKnown: ("A change of the schema is said to be nothing.", ["OBS-7", "OBS-13", "OBS-17"])
    case .versionIsBefore: ("A commit has the version of the state before it.", ["OBS-1", "OBS-17"])
    case .versionIsAhead: ("A commit has a version that its state has not.", ["OBS-1", "OBS-17"])
    case .versionStands: ("The version of the newest state stands still.", ["OBS-14", "OBS-1"])
    }
  }

  func beginWrite(_ backend: any Backend, _ options: WriteOptions) throws(StorageError) -> Writer {
    var options = options
    if !options.capture.isNone {
      switch self {
      case .rowsWithKeys: options.capture = options.capture.with { $0 == .keys ? .rows : $0 }
      case .keysForRows: options.capture = options.capture.with { min($0, .keys) }
      case .othersAreCaptured: options.capture = .rows
      case .othersAreForgotten: options.capture.others = .none
      case .touchedIsForgotten: options.capture = options.capture.with { $0 == .touched ? .none : $0 }
      default: break
      }
    }
    return try backend.beginWrite(options)
  }

  func version(_ tx: Reader) throws(StorageError) -> CommitVersion {
    self == .versionStands ? CommitVersion(1) : try tx.version()
  }

  func commit(_ tx: Writer) throws(StorageError) -> CommitResult {
    var result = try tx.commit()
    switch self {
    case .versionIsBefore: result.version = CommitVersion(result.version.rawValue &- 1)
    case .versionIsAhead: result.version = CommitVersion(result.version.rawValue &+ 7)
    case .allIsUnknown where !result.changes.isEmpty: result.changes = .unknown
    case .allIsEmpty where !result.changes.isUnknown: result.changes = ChangeSet()
    case .nothingIsUnknown where result.changes.isEmpty: result.changes = .unknown
    case .schemaIsKnown where result.changes.isUnknown: result.changes = ChangeSet()
    case .oneModelOnly:
      if let last = result.changes.models.keys.max() {
        result.changes.models = result.changes.models.filter { $0.key == last }
      }
    default:
      for (model, changes) in result.changes.models { result.changes.models[model] = changed(changes) }
    }
    return result
  }

  /// - Returns: nil for nothing.
  private func changed(_ changes: ChangeSet.ModelChanges) -> ChangeSet.ModelChanges? {
    guard case .objects(var objects) = changes else { return self == .unknownIsForgotten ? nil : changes }
    switch self {
    case .objectsAreUnknown: return .unknown
    case .insertionsAreLost: objects.removeAll { $0.kind == .insertion }
    case .updatesAreLost: objects.removeAll { $0.kind == .update }
    case .deletionsAreLost: objects.removeAll { $0.kind == .deletion }
    case .firstIsLost: objects.removeFirst()
    case .lastIsLost where objects.count > 1: objects.removeLast()
    case .keysAreReversed: objects.reverse()
    case .keyIsTwice: objects.insert(objects[0], at: 0)
    default: objects = objects.map(changed)
    }
    return objects.isEmpty ? nil : .objects(objects)
  }

  private func changed(_ change: ChangeSet.Change) -> ChangeSet.Change {
    var change = change
    switch (self, change.kind) {
    case (.updateIsInsertion, .update): change.kind = .insertion
    case (.insertionIsUpdate, .insertion): change.kind = .update
    case (.deletionIsUpdate, .deletion): change.kind = .update
    case (.oldIsMissing, _): change.old = nil
    case (.newIsMissing, _): change.new = nil
    case (.newIsOld, .update): change.new = change.old
    case (.oldIsNew, .update): change.old = change.new
    default: break
    }
    return change
  }
}

extension Capture {
  /// The capture with other details.
  fileprivate func with(_ change: (Detail) -> Detail) -> Capture { Capture(change(others), models.mapValues(change)) }
}
