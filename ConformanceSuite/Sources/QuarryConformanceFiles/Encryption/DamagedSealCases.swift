import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Sealed stores whose files were changed: each change is found where it is read, or changes no answer.
enum DamagedSealCases {
  static let all: [ConformanceCase] = flips + cuts + blocks + foreign + slots

  /// How many places a case changes: few in the quick plan. With 200 kills or more every bit is changed.
  private static func places(_ all: [Int], _ kit: ConformanceContext, _ number: Int) -> [Int] {
    guard kit.triesFew else { return all }
    var random = kit.random(70 + number)
    return Array(all.shuffled(using: &random).prefix(12)).sorted()
  }

  /// Changes files and asks a second process what it finds: the items, or that the store is damaged.
  private struct Judge {
    let scene: SealedScene
    let child: SecondProcess
    let files: [String: Data]

    init(_ scene: SealedScene) throws {
      self.scene = scene
      try scene.fill(1)
      files = try scene.files()
      child = try scene.kit.secondProcess(at: scene.place)
    }

    /// - Parameters:
    ///   - changed: What a file has instead.
    ///   - codes: What may be thrown.
    func expectFound(
      _ path: String, _ changed: Data, _ about: String, _ codes: Set<StorageError.Code> = [.corrupt], line: Int = #line
    ) throws {
      try changed.write(to: URL(fileURLWithPath: path))
      defer { try? scene.put(files) }
      do {
        let said = try child.ask("judge 1")
        try expect(said == "same" || said == "defects", "\(about): \(said)", line: line)
      } catch let error as StorageError where codes.contains(error.code) {
        ProvokedErrors.note(error.code)
      }
    }
  }

  // MARK: Bits

  private static let flips: [ConformanceCase] = (0..<16).map { number in
    .sealedProcesses(
      "flip-\(number)", ["ENC-4", "ERR-1"],
      "A bit that was changed at byte \(number) of each sixteen is found, or changes nothing.", within: .seconds(300)
    ) { scene in
      let judge = try Judge(scene)
      let bits = scene.kit.kills >= 200 ? 8 : 1
      for (path, data) in judge.files.sorted(by: { $0.key < $1.key }) {
        let all = Array(stride(from: number, to: data.count, by: 16))
        for place in places(all, scene.kit, number) {
          for bit in 0..<bits {
            var changed = data
            let bit = (place / 16 + bit) % 8
            changed[place] ^= 1 << UInt8(bit)
            try judge.expectFound(path, changed, "bit \(bit) of byte \(place) of \(data.count)")
          }
        }
      }
      try scene.expectItems(1, "as it was")
    }
  }

  // MARK: Cuts

  private static let cuts: [ConformanceCase] = (0..<8).map { number in
    .sealedProcesses(
      "cut-\(number)", ["ENC-4", "ERR-1"],
      "A file that was cut off at a sector \(number) of each eight is damaged, or has all.", within: .seconds(120)
    ) { scene in
      let judge = try Judge(scene)
      for (path, data) in judge.files.sorted(by: { $0.key < $1.key }) {
        let all = Array(stride(from: 512 * number, to: data.count, by: 512 * 8))
        // An empty file is a place where nothing is yet.
        for place in places(all, scene.kit, 16 + number) where place > 0 {
          try judge.expectFound(path, data.prefix(place), "cut at \(place) of \(data.count)")
          try judge.expectFound(path, data.prefix(place - 1), "cut at \(place - 1) of \(data.count)")
        }
      }
      try scene.expectItems(1, "as it was")
    }
  }

  // MARK: Blocks

  /// What is done to a block, by the block and its number.
  private static let changes: [(name: String, change: @Sendable ([Data], Int) -> Data?)] = [
    ("zeroed", { blocks, number in Data(repeating: 0, count: blocks[number].count) }),
    ("filled", { blocks, number in Data(repeating: 0xFF, count: blocks[number].count) }),
    ("next", { blocks, number in number + 1 < blocks.count ? blocks[number + 1] : nil }),
    ("before", { blocks, number in number > 0 ? blocks[number - 1] : nil }),
    ("first", { blocks, number in number > 0 ? blocks[0] : nil }),
    ("reversed", { blocks, number in Data(blocks[number].reversed()) }),
  ]

  private static let blocks: [ConformanceCase] = [512, 4_096].flatMap { size in
    changes.map { change in
      .sealedProcesses(
        "block-\(change.name)-\(size)", ["ENC-4", "ERR-1"],
        "A block of \(size) bytes that has become another (\(change.name)) is found, or changes nothing.",
        within: .seconds(120)
      ) { scene in
        let judge = try Judge(scene)
        for (path, data) in judge.files.sorted(by: { $0.key < $1.key }) {
          let blocks = data.blocks(of: size)
          for number in places(Array(blocks.indices), scene.kit, size) {
            guard let other = change.change(blocks, number), other != blocks[number] else { continue }
            var changed = data
            changed.replaceSubrange(number * size..<(number + 1) * size, with: other)
            try judge.expectFound(path, changed, "block \(number) of \(blocks.count)")
          }
        }
        try scene.expectItems(1, "as it was")
      }
    }
      + [
        .sealedProcesses(
          "blocks-exchanged-\(size)", ["ENC-4", "ERR-1"],
          "Two blocks of \(size) bytes that have changed places are found, or change nothing.", within: .seconds(120)
        ) { scene in
          let judge = try Judge(scene)
          var random = scene.kit.random(69)
          for (path, data) in judge.files.sorted(by: { $0.key < $1.key }) {
            let blocks = data.blocks(of: size)
            for number in places(Array(blocks.indices), scene.kit, size + 1) {
              let other = Int.random(in: blocks.indices, using: &random)
              guard blocks[number] != blocks[other] else { continue }
              var changed = data
              changed.replaceSubrange(number * size..<(number + 1) * size, with: blocks[other])
              changed.replaceSubrange(other * size..<(other + 1) * size, with: blocks[number])
              try judge.expectFound(path, changed, "blocks \(number) and \(other)")
            }
          }
          try scene.expectItems(1, "as it was")
        }
      ]
  }

  // MARK: Of other stores

  /// Where what takes a block's place comes from.
  private enum Source: String, CaseIterable {
    case sameKey = "store-of-the-same-key"
    case otherKey = "store-of-another-key"
    case plain = "plain-store"
    case noise
  }

  private static let foreign: [ConformanceCase] =
    Source.allCases.map { source in
      .sealedProcesses(
        "block-of-\(source.rawValue)", ["ENC-4", "ERR-1"],
        "A block that comes from elsewhere (\(source.rawValue)) is found, or changes nothing.", within: .seconds(120)
      ) { scene in
        let judge = try Judge(scene)
        var random = scene.kit.random(68)
        let other = try SealedScene(scene.kit)
        switch source {
        case .sameKey: try other.fill(1)
        case .otherKey: try other.fill(2)
        case .plain: try other.fill(nil)
        case .noise: break
        }
        let foreign = source == .noise ? [] : try other.main().data.blocks(of: 4_096)
        for (path, data) in judge.files.sorted(by: { $0.key < $1.key }) {
          let blocks = data.blocks(of: 4_096)
          for number in places(Array(blocks.indices), scene.kit, 35) {
            let taken =
              source == .noise
              ? Data((0..<4_096).map { _ in UInt8(truncatingIfNeeded: random.next()) })
              : number < foreign.count ? foreign[number] : nil
            // The whole beginning of another store, with its key, is another store.
            guard let taken, number > 0 else { continue }
            var changed = data
            changed.replaceSubrange(number * 4_096..<(number + 1) * 4_096, with: taken)
            // With its slots it has the other store's key.
            try judge.expectFound(path, changed, "block \(number) of \(blocks.count)", [.corrupt, .wrongKey])
          }
          for bytes in [1, 512, 4_096] {
            let tail = Data((0..<bytes).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            try judge.expectFound(path, data + tail, "\(bytes) bytes at the end")
          }
        }
        try scene.expectItems(1, "as it was")
      }
    }

  // MARK: Slots

  /// Where the slots of the key begin in a file.
  private static func slots(_ data: Data) -> [Int] {
    let magic = Data([0x8F, 0x51, 0x72, 0x79, 0x53, 0x6C, 0x6F, 0x74])
    var (found, start) = ([Int](), data.startIndex)
    while let range = data.range(of: magic, in: start..<data.endIndex) {
      found.append(range.lowerBound)
      start = range.upperBound
    }
    return found
  }

  private static let slots: [ConformanceCase] =
    [("key", 70), ("beginning", 3)].map { name, byte in
      .sealed(
        "slot-\(name)-damaged", ["ENC-8"],
        "With one slot of the key damaged the other one serves, check says so, and who writes mends it."
      ) { scene in
        try scene.fill(1)
        let (path, data) = try scene.main()
        // An engine that keeps pages of older states has slots in them, too.
        let found = slots(data)
        var told = 0
        for place in found {
          var changed = data
          changed[place + byte] ^= 0x10
          try changed.write(to: URL(fileURLWithPath: path))
          let reading = try scene.open(1) { $0.isReadOnly = true }
          try expectEqual(try reading.fetch(Item.all), SealedScene.items)
          if try !reading.check().isEmpty { told += 1 }
          try reading.close()
          try expectEqual(try Data(contentsOf: URL(fileURLWithPath: path)), changed, "a reader wrote")
          try scene.expectUntouched(.wrongKey) { try scene.open(2) }
          let writing = try scene.open(1)
          try writing.insert(Item(500))
          try writing.delete(Item.self, 500)
          try expectEqual(try writing.check(), [])
          try writing.close()
          try scene.expectItems(1, "mended")
          try data.write(to: URL(fileURLWithPath: path))
        }
        try expectEqual(told, 2, "slots that check tells of, of \(found.count)")
      }
    } + [
      .sealed(
        "slots-damaged", ["ENC-8"], "With both slots of the key damaged the store is corrupt, and not of a wrong key."
      ) {
        scene in
        try scene.fill(1)
        let (path, data) = try scene.main()
        for byte in [8, 20, 40, 50, 60, 80, 110, 125] {
          var changed = data
          for place in slots(data) { changed[place + byte] ^= 1 }
          try changed.write(to: URL(fileURLWithPath: path))
          try scene.expectUntouched(.corrupt, "byte \(byte)") { try scene.open(1) }
          try scene.expectUntouched(.corrupt, "byte \(byte), another key") { try scene.open(2) }
        }
        try data.write(to: URL(fileURLWithPath: path))
        try scene.expectItems(1, "as it was")
      },
      .sealed(
        "newer-suite", ["ENC-2", "ENC-8"], "A store that is sealed in a later way is schemaTooNew, and untouched."
      ) {
        scene in
        try scene.fill(1)
        let (path, data) = try scene.main()
        for (byte, value): (Int, UInt8) in [(8, 2), (10, 2), (12, 9)] {
          var changed = data
          for place in slots(data) {
            changed[place + byte] = value
            let sum = changed[place..<place + 124].withUnsafeBytes { CRC32C.checksum($0) }
            for part in 0..<4 { changed[place + 124 + part] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * part)) }
          }
          try changed.write(to: URL(fileURLWithPath: path))
          try scene.expectUntouched(.schemaTooNew, "byte \(byte)") { try scene.open(1) }
        }
      },
    ]
}
