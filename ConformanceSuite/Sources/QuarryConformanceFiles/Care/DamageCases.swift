import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Stores whose files were changed behind their back: what is read is right, or an error says that it is not.
enum DamageCases {
  /// A place with a closed store of the items, and its files with what they hold; none for a store without files.
  static func closed(
    _ kit: ConformanceContext, _ items: [Item] = DamageSamples.items, _ change: (Store) throws -> Void = { _ in }
  ) throws -> (place: any BackendProvider, files: [String: Data]) {
    let place = try kit.makePlace()
    let store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: items.dropLast())
    // A last commit that is damaged may look like one that a crash ended, which is no damage.
    try store.insert(contentsOf: items.suffix(1))
    try change(store)
    try store.close()
    return (place, try contents(kit, place))
  }

  /// The files at the place, with what they hold.
  static func contents(_ kit: ConformanceContext, _ place: any BackendProvider) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in kit.files(at: place) { files[path] = try Data(contentsOf: URL(fileURLWithPath: path)) }
    return files
  }

  /// Every place in the data at which the bytes are.
  static func places(of bytes: [UInt8], in data: Data) -> [Int] {
    var (found, start) = ([Int](), data.startIndex)
    while let range = data.range(of: Data(bytes), in: start..<data.endIndex) {
      found.append(range.lowerBound)
      start = range.upperBound
    }
    return found
  }

  /// What a second process says of the store at the place: damage may end a process, and not this one.
  ///
  /// - Parameter checks: Whether a check comes before what is read.
  private static func verdict(
    _ kit: ConformanceContext, _ place: any BackendProvider, checks: Bool = true
  ) throws -> Verdict {
    let child = try kit.secondProcess(at: place)
    defer { child.kill() }
    do {
      try child.ask("open item")
      if checks {
        let defects = try child.ask("defects")
        if defects != "sound" { return .defects(defects) }
      }
      return try child.ask("same-items") == "same" ? .unchanged : .wrong
    } catch let error as StorageError where error.code == .corrupt {
      ProvokedErrors.note(.corrupt)
      return .corrupt
    }
  }

  private enum Verdict { case corrupt, defects(String), unchanged, wrong }

  static let all: [ConformanceCase] = [
    .processes(
      "CARE.index-and-row", ["CARE-2", "CARE-3", "ERR-3"],
      "A value that was changed in its row or in its index alone is named by check, or the file is corrupt.",
      needs: [.check, .indexUnique]
    ) { kit in
      let (place, files) = try closed(kit)
      var (tried, seen) = (0, 0)
      for (path, data) in files {
        for offset in places(of: Array(DamageSamples.code.utf8), in: data) {
          tried += 1
          var changed = data
          changed[offset + 12] = UInt8(ascii: "7")
          try changed.write(to: URL(fileURLWithPath: path))
          let about = "\(DamageSamples.code) changed at \(offset)"
          switch try verdict(kit, place) {
          case .corrupt: seen += 1
          case .defects(let text):
            seen += 1
            try expect(text.contains("Item"), "\(about): the defect does not name the model: \(text)")
          // A copy that the store does not use any more.
          case .unchanged: break
          case .wrong:
            throw ConformanceFailure(
              message: "\(about): check finds nothing, and the store has other data", file: #fileID, line: #line)
          }
          try data.write(to: URL(fileURLWithPath: path))
        }
      }
      // A store that packs or encrypts what it has has no such bytes; one without files neither.
      try expect(tried == 0 || seen > 0, "none of \(tried) changes was seen")
    },
    .processes(
      "CARE.cut", ["ERR-1", "ERR-3", "CARE-3"], "Of a file that was cut off, nothing is read that was not committed.",
      within: .seconds(60)
    ) { kit in
      let (place, files) = try closed(kit)
      guard let (path, data) = files.max(by: { $0.value.count < $1.value.count }) else { return }
      for part in 1..<8 {
        try data.prefix(data.count * part / 8).write(to: URL(fileURLWithPath: path))
        let child = try kit.secondProcess(at: place)
        do {
          try child.ask("open item")
          // A state from before.
          let ids = try child.ask("ids")
          try expect(
            [0, DamageSamples.items.count - 1, DamageSamples.items.count].contains(ids.split(separator: " ").count),
            "\(part)/8 of the file: a part of a commit")
        } catch let error as StorageError {
          try expect([.corrupt, .io].contains(error.code), "\(part)/8 of the file: \(error)")
        }
        child.kill()
        try data.write(to: URL(fileURLWithPath: path))
      }
    },
    .processes(
      "CARE.changed-bits", ["CARE-12", "ERR-3"],
      "Of a store that has checksums, a changed bit anywhere is an error or changes nothing.", needs: [.statistics],
      within: .seconds(60)
    ) { kit in
      let (place, files) = try closed(kit)
      let store = try kit.open([Item.self], at: place)
      let checksums = try store.statistics().details["checksums"] ?? "none"
      try store.close()
      guard checksums != "none" else { return }
      var random = kit.random(360)
      for (path, data) in files.sorted(by: { $0.key < $1.key }) where !data.isEmpty {
        // Most of a small store's file may be room that nothing uses: two of three bits are where there is something.
        let used = data.indices.filter { data[$0] != 0 }
        for trial in 0..<36 {
          let byte = trial % 3 == 0 ? data.indices.randomElement(using: &random) : used.randomElement(using: &random)
          let bit = (byte ?? 0) * 8 + Int.random(in: 0..<8, using: &random)
          var changed = data
          changed[bit / 8] ^= 1 << UInt8(bit % 8)
          try changed.write(to: URL(fileURLWithPath: path))
          let about = "bit \(bit % 8) of byte \(bit / 8) of \(data.count)"
          do {
            if case .wrong = try verdict(kit, place, checks: false) {
              throw ConformanceFailure(
                message: "\(about): the store has other data, and no error says so", file: #fileID, line: #line)
            }
          } catch let error as StorageError {
            // What says which store it is may be what changed.
            try expect(identityCodes.contains(error.code), "\(about): \(error)")
          }
          for (path, data) in files { try data.write(to: URL(fileURLWithPath: path)) }
          for path in kit.files(at: place) where files[path] == nil { try FileManager.default.removeItem(atPath: path) }
        }
      }
    },
    .processes(
      "CARE.damaged-structure", ["CARE-13", "ERR-3"],
      "Parts of files that were erased or exchanged end no process that has had them looked at.", within: .seconds(60)
    ) { kit in
      let (place, files) = try closed(kit)
      var random = kit.random(361)
      for (path, data) in files.sorted(by: { $0.key < $1.key }) where !data.isEmpty {
        let blocks = Array(0..<(data.count + block - 1) / block)
        for number in blocks.shuffled(using: &random).prefix(12) {
          var changed = data
          changed.erase(number)
          try changed.write(to: URL(fileURLWithPath: path))
          try goThrough(kit, place, "block \(number) of \(blocks.count) erased")
          for (path, data) in files { try data.write(to: URL(fileURLWithPath: path)) }
        }
        let whole = blocks.filter { ($0 + 1) * block <= data.count }
        for _ in 0..<4 where whole.count > 1 {
          let pair = Array(whole.shuffled(using: &random).prefix(2))
          var changed = data
          changed.exchange(pair[0], pair[1])
          try changed.write(to: URL(fileURLWithPath: path))
          try goThrough(kit, place, "blocks \(pair[0]) and \(pair[1]) of \(blocks.count) exchanged")
          for (path, data) in files { try data.write(to: URL(fileURLWithPath: path)) }
        }
      }
    },
  ]

  /// What is changed at once.
  static let block = 4_096

  /// Checks, reads and writes the store in another process, which says of each what came of it and is there at the end.
  private static func goThrough(_ kit: ConformanceContext, _ place: any BackendProvider, _ about: String) throws {
    let child = try kit.secondProcess(at: place)
    defer { child.kill() }
    for command in ["open item checksStructure", "defects", "same-items", "delete 0", "insert 1000", "ids", "close"] {
      do {
        try child.ask(command)
      } catch let error as StorageError {
        ProvokedErrors.note(error.code)
        if command.hasPrefix("open") { return }
      } catch {
        throw ConformanceFailure(message: "\(about), at \(command): \(error)", file: #fileID, line: #line)
      }
    }
  }

  /// Of errors by which a store is taken for another kind of one.
  static let identityCodes: Set<StorageError.Code> = [
    .corrupt, .schemaTooNew, .keyRequired, .notEncrypted, .wrongKey,
  ]
}

extension Data {
  private func range(_ number: Int) -> Range<Int> {
    number * DamageCases.block..<Swift.min(count, (number + 1) * DamageCases.block)
  }

  fileprivate mutating func erase(_ number: Int) {
    let range = range(number)
    replaceSubrange(range, with: Data(count: range.count))
  }

  fileprivate mutating func exchange(_ one: Int, _ other: Int) {
    let (left, right) = (Data(self[range(one)]), Data(self[range(other)]))
    replaceSubrange(range(one), with: right)
    replaceSubrange(range(other), with: left)
  }
}
