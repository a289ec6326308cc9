/// What a disk has of the operations that were done before a moment and were not brought to it.
///
/// What was brought to the disk is there: a file's bytes and length with a sync of the file, its path with one of the
/// folder. Everything else may be there or not, in any order, in part where it is a write.
struct CrashState: Hashable {
  /// How much of an operation is there.
  enum Part: Hashable {
    case whole
    /// Those sectors of a write, counted from its first byte.
    case sectors(Set<Int>, of: Int)
    /// The length of the file that a write gives it, and none of its bytes.
    case length
  }

  /// How many operations had been done.
  let point: Int
  /// What is there of those that were not brought to the disk, by their places.
  var parts: [Int: Part]

  /// The state in which everything is there: that of a process that was killed.
  static func everything(_ recording: FileRecording, at point: Int) -> CrashState {
    let pending = recording.pending(at: point)
    return CrashState(point: point, parts: Dictionary(uniqueKeysWithValues: pending.map { ($0, .whole) }))
  }
}

extension CrashState: CustomStringConvertible {
  /// `17: 12 15[512:0,3] 16[length]`, which ``init(_:)`` reads.
  var description: String {
    let words = parts.sorted { $0.key < $1.key }.map { place, part in
      switch part {
      case .whole: "\(place)"
      case .length: "\(place)[length]"
      case .sectors(let kept, let size): "\(place)[\(size):\(kept.sorted().map(String.init).joined(separator: ","))]"
      }
    }
    return ([("\(point):")] + words).joined(separator: " ")
  }

  /// Nil for a text that says no state.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard let first = words.first, first.hasSuffix(":"), let point = Int(first.dropLast()) else { return nil }
    self.point = point
    parts = [:]
    for word in words.dropFirst() {
      let halves = word.split(separator: "[", maxSplits: 1)
      guard let place = halves.first.flatMap({ Int($0) }) else { return nil }
      guard halves.count == 2 else {
        parts[place] = .whole
        continue
      }
      let inner = halves[1].dropLast()
      if inner == "length" {
        parts[place] = .length
        continue
      }
      let sides = inner.split(separator: ":", omittingEmptySubsequences: false)
      guard sides.count == 2, let size = Int(sides[0]) else { return nil }
      parts[place] = .sectors(Set(sides[1].split(separator: ",").compactMap { Int($0) }), of: size)
    }
  }
}

extension FileRecording {
  /// What a file or a folder waits for.
  private enum Holder: Hashable {
    case file(LabFile.ID)
    case folder(String)
  }

  private static func holders(_ kind: FileOperation.Kind) -> [Holder] {
    func parent(_ path: String) -> Holder { .folder(FileImage.folder(of: path)) }
    switch kind {
    case .write(let file, _, _, let isSynced): return isSynced ? [] : [.file(file)]
    case .truncate(let file, _), .allocate(let file, .some): return [.file(file)]
    case .create(let path, _), .link(_, let path), .unlink(let path), .makeFolder(let path), .removeFolder(let path):
      return [parent(path)]
    case .rename(let old, let new): return Array(Set([parent(old), parent(new)]))
    case .read, .createNameless, .allocate, .sync, .syncFolder, .mark: return []
    }
  }

  /// The places of the operations before a moment that no sync has brought to the disk, in their order.
  func pending(at point: Int) -> [Int] {
    var waiting: [Int: Set<Holder>] = [:]
    var folders = start.folders
    for place in 0..<point {
      // What waits for a folder waits for it under its new name, too.
      switch operations[place].kind {
      case .makeFolder(let path): folders.insert(path)
      case .rename(let old, let new) where folders.remove(old) != nil:
        folders.insert(new)
        for (waiter, holders) in waiting where holders.contains(.folder(old)) {
          waiting[waiter] = holders.subtracting([.folder(old)]).union([.folder(new)])
        }
      default: break
      }
      switch operations[place].kind {
      case .sync(let file): Self.remove(.file(file), &waiting)
      case .syncFolder(let path): Self.remove(.folder(path), &waiting)
      case let kind:
        let holders = Self.holders(kind)
        if !holders.isEmpty { waiting[place] = Set(holders) }
      }
    }
    return waiting.keys.sorted()
  }

  private static func remove(_ holder: Holder, _ waiting: inout [Int: Set<Holder>]) {
    for (place, holders) in waiting where holders.contains(holder) {
      waiting[place] = holders.count == 1 ? nil : holders.subtracting([holder])
    }
  }

  /// What is in the folder in a state.
  func image(_ state: CrashState) -> FileImage {
    let pending = Set(pending(at: state.point))
    var image = start
    for place in 0..<state.point {
      let kind = operations[place].kind
      guard pending.contains(place) else {
        image.apply(kind)
        continue
      }
      switch (state.parts[place], kind) {
      case (nil, .create(_, let file)):
        // The file is there, without its path.
        image.apply(.createNameless(file))
      case (nil, _): continue
      case (.whole, _): image.apply(kind)
      case (.sectors(let kept, let size), .write(let file, let start, let bytes, _)):
        for sector in kept.sorted() where sector * size < bytes.count {
          let range = sector * size..<min(bytes.count, (sector + 1) * size)
          image.files[file, default: LabFile()].write(bytes[range], at: start + range.lowerBound)
        }
      case (.length, .write(let file, let start, let bytes, _)):
        if image.files[file]?.bytes.count ?? 0 < start + bytes.count {
          image.files[file, default: LabFile()].setLength(start + bytes.count)
        }
      case (.sectors, _), (.length, _): image.apply(kind)
      }
    }
    // What is in a folder that is not there is not there.
    image.paths = image.paths.filter { path, _ in
      let folder = FileImage.folder(of: path)
      return folder.isEmpty || image.folders.contains(folder)
    }
    return image.named
  }

  /// The text of the last mark before a moment that begins so, without that beginning; nil when there is none.
  func lastMark(_ beginning: String, before point: Int) -> String? {
    for place in (0..<point).reversed() { if let mark = mark(beginning, at: place) { return mark } }
    return nil
  }

  /// All marks with the beginning.
  func marks(_ beginning: String, before point: Int) -> [String] {
    (0..<point).compactMap { mark(beginning, at: $0) }
  }

  private func mark(_ beginning: String, at place: Int) -> String? {
    guard case .mark(let text) = operations[place].kind, text.hasPrefix(beginning) else { return nil }
    return String(text.dropFirst(beginning.count))
  }
}

/// Chooses states of a recording: those that are most often wrong first, and then others by chance.
struct CrashStateChooser {
  let recording: FileRecording
  /// How many states by chance there are at a moment where much is on its way.
  var random = 6

  /// States at a moment. At most 60 where few operations are on their way, and about as many where there are many.
  func states(at point: Int, _ generator: inout SeededGenerator) -> [CrashState] {
    let pending = recording.pending(at: point)
    func state(_ kept: some Sequence<Int>) -> CrashState {
      CrashState(point: point, parts: Dictionary(uniqueKeysWithValues: kept.map { ($0, .whole) }))
    }
    var states = [state(pending), state([])]
    guard !pending.isEmpty else { return [states[0]] }
    let isMinor = point < recording.operations.count && !Self.isBoundary(recording.operations[point].kind)
    if pending.count <= 4, !isMinor {
      for bits in 1..<(1 << pending.count) - 1 {
        states.append(state(pending.indices.filter { bits >> $0 & 1 == 1 }.map { pending[$0] }))
      }
    } else if !isMinor {
      for _ in 0..<random { states.append(state(pending.prefix(Int.random(in: 1..<pending.count, using: &generator)))) }
      for place in pending.shuffled(using: &generator).prefix(random) {
        states.append(state([place]))
        states.append(state(pending.filter { $0 != place }))
      }
      states.append(state(pending.suffix(1)))
      states.append(state(pending.dropLast()))
      for _ in 0..<random { states.append(state(pending.filter { _ in Bool.random(using: &generator) })) }
    }
    // Writes of which only a part is there, the last one always.
    let writes = pending.filter { if case .write = recording.operations[$0].kind { true } else { false } }
    var torn = Array(writes.suffix(1))
    if !isMinor { torn += writes.dropLast().shuffled(using: &generator).prefix(2) }
    for place in torn {
      guard case .write(_, _, let bytes, _) = recording.operations[place].kind else { continue }
      for size in [512, 4_096] {
        let count = (bytes.count + size - 1) / size
        var choices: [CrashState.Part] = [.length]
        if count > 1 {
          let cut = Int.random(in: 1..<count, using: &generator)
          choices += [.sectors(Set(0..<cut), of: size), .sectors(Set(cut..<count), of: size)]
          choices.append(.sectors(Set((0..<count).filter { _ in Bool.random(using: &generator) }), of: size))
        }
        for choice in choices {
          var all = state(pending)
          all.parts[place] = choice
          states.append(all)
          if !isMinor {
            var before = state(pending.filter { $0 < place })
            before.parts[place] = choice
            states.append(before)
          }
        }
      }
    }
    return states
  }

  /// Whether something comes next that takes operations from those that are on their way, or says that they are done.
  private static func isBoundary(_ kind: FileOperation.Kind) -> Bool {
    switch kind {
    case .sync, .syncFolder, .mark, .write(_, _, _, isSynced: true), .rename, .link: true
    default: false
    }
  }
}
