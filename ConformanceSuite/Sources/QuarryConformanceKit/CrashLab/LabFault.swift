import Foundation

/// Faults that a program could have on its way to the disk, done to the record of one that has none: the laboratory has
/// to find each.
package enum LabFault: String, CaseIterable, Sendable {
  /// Files are never brought to the disk.
  case noSync
  /// Folders are never brought to the disk.
  case noFolderSync
  /// What a write itself should bring to the disk is left to it.
  case noSyncedWrites
  /// Every other sync of a file is left out.
  case halfOfSyncs
  /// The first sync of a file that was made is left out.
  case noFirstSync
  /// The last sync before something is said to be done is left out.
  case noLastSync
  /// Something is said to be done before the last sync.
  case acknowledgedEarly
  /// A file gets its name before it is brought to the disk.
  case namedEarly
  /// The last write before a sync comes after it.
  case writtenLate
  /// A file is emptied, cut or removed before what takes its place is on the disk.
  case removedEarly
  /// What was written is written into the file a second time, one sector further.
  case misplaced
  /// The second half of each write that is longer than a sector is left out.
  case shortWrites
  /// The file that gets the most bytes is never brought to the disk, others are.
  case noSyncOfLargest

  func apply(_ recording: FileRecording) -> FileRecording {
    FileRecording(recording.start, changed(recording.operations))
  }

  private func changed(_ operations: [FileOperation]) -> [FileOperation] {
    func isSync(_ operation: FileOperation) -> Bool {
      switch operation.kind {
      case .sync, .syncFolder, .write(_, _, _, isSynced: true): true
      default: false
      }
    }
    func unsynced(_ operation: FileOperation) -> FileOperation? {
      guard case .write(let file, let place, let bytes, _) = operation.kind else { return nil }
      return FileOperation(number: operation.number, kind: .write(file, at: place, bytes, isSynced: false))
    }
    switch self {
    case .noSync: return operations.filter { if case .sync = $0.kind { false } else { true } }
    case .noFolderSync: return operations.filter { if case .syncFolder = $0.kind { false } else { true } }
    case .noSyncedWrites: return operations.map { unsynced($0) ?? $0 }
    case .halfOfSyncs:
      var count = 0
      return operations.compactMap { operation in
        guard isSync(operation) else { return operation }
        count += 1
        return count % 2 == 0 ? unsynced(operation) : operation
      }
    case .noFirstSync:
      var made: Set<LabFile.ID> = []
      return operations.filter { operation in
        switch operation.kind {
        case .create(_, let file), .createNameless(let file):
          made.insert(file)
          return true
        case .sync(let file): return made.remove(file) == nil
        default: return true
        }
      }
    case .noLastSync:
      var changed = operations
      for place in operations.indices.reversed() where operations[place].isDone {
        guard let last = operations[..<place].lastIndex(where: isSync) else { continue }
        changed[last] = unsynced(operations[last]) ?? FileOperation(number: 0, kind: .read)
      }
      return changed
    case .acknowledgedEarly:
      var changed = operations
      for place in operations.indices where operations[place].isDone {
        guard let last = changed[..<place].lastIndex(where: isSync) else { continue }
        changed.insert(changed.remove(at: place), at: last)
      }
      return changed
    case .namedEarly:
      var changed = operations
      for place in operations.indices {
        switch changed[place].kind {
        case .rename, .link:
          guard let last = changed[..<place].lastIndex(where: { if case .sync = $0.kind { true } else { false } })
          else { continue }
          changed.insert(changed.remove(at: place), at: last)
        default: continue
        }
      }
      return changed
    case .writtenLate:
      var changed = operations
      for place in operations.indices.dropLast() {
        if case .write = changed[place].kind, case .sync = changed[place + 1].kind { changed.swapAt(place, place + 1) }
      }
      return changed
    case .removedEarly:
      var changed = operations
      for place in operations.indices {
        switch changed[place].kind {
        case .unlink, .truncate, .rename:
          guard let last = changed[..<place].lastIndex(where: isSync) else { continue }
          changed.insert(changed.remove(at: place), at: last)
        default: continue
        }
      }
      return changed
    case .misplaced:
      return operations.flatMap { operation in
        guard case .write(let file, let place, let bytes, let isSynced) = operation.kind else { return [operation] }
        let again = FileOperation.Kind.write(file, at: place + 512, bytes, isSynced: isSynced)
        return [operation, FileOperation(number: operation.number, kind: again)]
      }
    case .shortWrites:
      return operations.map { operation in
        guard case .write(let file, let place, let bytes, let isSynced) = operation.kind, bytes.count > 512 else {
          return operation
        }
        let half = Array(bytes.prefix(bytes.count / 2))
        return FileOperation(number: operation.number, kind: .write(file, at: place, half, isSynced: isSynced))
      }
    case .noSyncOfLargest:
      var files: [LabFile.ID] = []
      for operation in operations {
        if case .sync(let file) = operation.kind, !files.contains(file) { files.append(file) }
      }
      guard let main = files.max(by: { size(of: $0, operations) < size(of: $1, operations) }) else { return operations }
      return operations.filter { $0.kind != .sync(main) }
    }
  }

  private func size(of file: LabFile.ID, _ operations: [FileOperation]) -> Int {
    operations.reduce(0) { sum, operation in
      guard case .write(file, _, let bytes, _) = operation.kind else { return sum }
      return sum + bytes.count
    }
  }
}

extension FileOperation {
  /// Whether it says that a step is done.
  fileprivate var isDone: Bool { if case .mark(let text) = kind { text.hasPrefix("done ") } else { false } }
}
