/// A pattern as instructions for ``PatternMachine``.
struct PatternProgram {
  enum Instruction {
    /// The text goes on with this scalar.
    case scalar(UInt32)
    /// The text goes on with a scalar of this set, by its place among `sets`.
    case set(Int)
    /// Both places go on.
    case split(Int, Int)
    case jump(Int)
    case start
    case end
    case match
  }

  /// The most instructions. A step of the machine visits each of them at most once.
  static let maximumSize = 5000
  /// The most bytes of a pattern.
  static let maximumBytes = 1 << 14

  private(set) var instructions: [Instruction] = []
  private(set) var sets: [PatternScalars] = []
  /// A text that every match has in it, folded; empty where none is known.
  let required: String
  /// The only text that matches, for a pattern without anything but text.
  let literal: String?
  private let options: TextOptions

  /// Reads and compiles a pattern.
  ///
  /// - Throws: `invalidQuery` with the position of what cannot be read; `limitExceeded` for a pattern that is too long, too deep,
  ///   or that has too many instructions.
  init(_ pattern: String, _ options: TextOptions) throws(StorageError) {
    guard pattern.utf8.count <= Self.maximumBytes else {
      throw .limitExceeded("bytes of a pattern", limit: Self.maximumBytes, actual: pattern.utf8.count)
    }
    let node = try PatternReader.read(pattern)
    let size = Self.size(node, options.isEmpty ? 1 : 3) + 1
    guard size <= Self.maximumSize else {
      throw .limitExceeded("instructions of a pattern", limit: Self.maximumSize, actual: size)
    }
    self.options = options
    let texts = Self.texts(node)
    literal =
      switch node {
      case .literal: texts.first.map { TextFolding.folded($0, options) }
      case .sequence(let parts) where parts.isEmpty: ""
      default: nil
      }
    required = texts.map { TextFolding.folded($0, options) }.max { $0.utf8.count < $1.utf8.count } ?? ""
    emit(node)
    instructions.append(.match)
  }

  /// How many instructions a part needs, at most; any number beyond the limit for a larger one.
  ///
  /// - Parameter folded: How many scalars one becomes by folding, at most.
  private static func size(_ node: PatternNode, _ folded: Int) -> Int {
    switch node {
    case .literal(let text): return text.count * folded
    case .set, .start, .end: return 1
    case .sequence(let parts): return parts.reduce(0) { min($0 + size($1, folded), maximumSize + 1) }
    case .choice(let parts): return parts.reduce(0) { min($0 + size($1, folded) + 2, maximumSize + 1) }
    case .repetition(let part, let least, let most):
      let size = size(part, folded)
      return min(size * least + (most.map { ($0 - least) * (size + 1) } ?? size + 2), maximumSize + 1)
    }
  }

  /// The texts that stand in every match.
  private static func texts(_ node: PatternNode) -> [String] {
    switch node {
    case .literal(let scalars):
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return [String(text)]
    case .sequence(let parts): return parts.flatMap(texts)
    case .repetition(let part, let least, _): return least > 0 ? texts(part) : []
    case .set, .start, .end, .choice: return []
    }
  }

  // MARK: Instructions

  private mutating func emit(_ node: PatternNode) {
    switch node {
    case .literal(let scalars):
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      let folded = TextFolding.folded(String(text), options)
      for scalar in folded.unicodeScalars { instructions.append(.scalar(scalar.value)) }
    case .set(let set):
      instructions.append(.set(sets.count))
      sets.append(PatternScalars(set, options))
    case .start: instructions.append(.start)
    case .end: instructions.append(.end)
    case .sequence(let parts): for part in parts { emit(part) }
    case .choice(let parts): emit(choice: parts)
    case .repetition(let part, let least, let most):
      for _ in 0..<least { emit(part) }
      guard let most else { return emit(loop: part) }
      var exits: [Int] = []
      for _ in least..<most {
        exits.append(instructions.count)
        instructions.append(.match)
        emit(part)
      }
      for place in exits { instructions[place] = .split(place + 1, instructions.count) }
    }
  }

  private mutating func emit(loop part: PatternNode) {
    let start = instructions.count
    instructions.append(.match)
    emit(part)
    instructions.append(.jump(start))
    instructions[start] = .split(start + 1, instructions.count)
  }

  private mutating func emit(choice parts: [PatternNode]) {
    var exits: [Int] = []
    for (place, part) in parts.enumerated() {
      guard place < parts.count - 1 else {
        emit(part)
        break
      }
      let split = instructions.count
      instructions.append(.match)
      emit(part)
      exits.append(instructions.count)
      instructions.append(.match)
      instructions[split] = .split(split + 1, instructions.count)
    }
    for place in exits { instructions[place] = .jump(instructions.count) }
  }
}

/// A set of scalars, made ready for folded texts.
struct PatternScalars {
  private let set: PatternSet
  private let isCaseFolded: Bool
  /// Which scalars of ASCII are in the set, as bits.
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// - Parameter options: How the text is folded. Single members are folded, too; a range stands for the scalars that it has, and
  ///   for those whose capital letters it has where case is folded.
  init(_ set: PatternSet, _ options: TextOptions) {
    var set = set
    isCaseFolded = options.contains(.caseInsensitive)
    if !options.isEmpty {
      for range in set.ranges where range.count == 1 {
        guard let scalar = Unicode.Scalar(range.lowerBound) else { continue }
        let folded = TextFolding.folded(String(Character(scalar)), options).unicodeScalars
        if folded.count == 1, let first = folded.first { set.insert(first) }
      }
    }
    self.set = set
    for value in 0..<128 as Range<UInt32> {
      guard let scalar = Unicode.Scalar(value), isMember(scalar) else { continue }
      if value < 64 { low |= 1 << UInt64(value) } else { high |= 1 << UInt64(value - 64) }
    }
  }

  @inline(__always)
  func contains(_ value: UInt32) -> Bool {
    if value < 64 { return low >> UInt64(value) & 1 != 0 }
    if value < 128 { return high >> UInt64(value - 64) & 1 != 0 }
    guard let scalar = Unicode.Scalar(value) else { return false }
    return isMember(scalar)
  }

  private func isMember(_ scalar: Unicode.Scalar) -> Bool {
    if set.contains(scalar) != set.isNegated { return !set.isNegated }
    guard isCaseFolded, !set.ranges.isEmpty else { return set.isNegated }
    let capital = scalar.properties.uppercaseMapping.unicodeScalars
    guard capital.count == 1, let first = capital.first, first != scalar else { return set.isNegated }
    let isMember = set.ranges.contains { $0.contains(first.value) }
    return isMember != set.isNegated
  }
}
