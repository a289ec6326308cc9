/// Matches whole texts against a pattern, in time that grows with the length of the text and of the pattern alone.
///
/// It follows all ways through the instructions at the same time (Thompson's and Pike's construction), so that no pattern can
/// make it try ways one after the other. Its scratch memory makes it a thing of one cursor.
package final class PatternMachine: TextFunctionMatcher {
  private let program: PatternProgram
  private let options: TextOptions
  private let required: ByteNeedle?
  private var current: PatternThreads
  private var following: PatternThreads
  private var pending: [Int] = []

  /// Prepares a pattern.
  ///
  /// - Throws: `invalidQuery` with the position of what cannot be read; `limitExceeded` for a pattern that is too large.
  package init(_ pattern: String, _ options: TextOptions) throws(StorageError) {
    program = try PatternProgram(pattern, options)
    self.options = options
    required = program.required.isEmpty ? nil : ByteNeedle(program.required)
    current = PatternThreads(program.instructions.count)
    following = PatternThreads(program.instructions.count)
  }

  package var cost: Int { 60 }

  /// The only text that the pattern matches, if it has no other parts and nothing is folded.
  package static func literal(of pattern: String) -> String? {
    (try? PatternProgram(pattern, []))?.literal
  }

  package func matches(text: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    var isDamaged = false
    let isMatch: Bool
    if options.isEmpty {
      isMatch = run(text, &isDamaged)
    } else {
      isMatch = try TextFolding.withFolded(text, options) { run($0, &isDamaged) }
    }
    if isDamaged { throw StorageError(.corrupt, "damaged row: text is not UTF-8") }
    return isMatch
  }

  // MARK: Running

  private func run(_ text: UnsafeRawBufferPointer, _ isDamaged: inout Bool) -> Bool {
    // Most texts lack a word that the pattern has.
    if let required, !required.isContained(in: text) { return false }
    current.removeAll()
    add(0, to: &current, isStart: true, isEnd: text.isEmpty)
    var position = 0
    while position < text.count {
      if current.isEmpty { return false }
      guard let scalar = Self.scalar(text, &position) else {
        isDamaged = true
        return false
      }
      following.removeAll()
      let isEnd = position == text.count
      for place in 0..<current.count {
        let instruction = current[place]
        switch program.instructions[instruction] {
        case .scalar(scalar): add(instruction + 1, to: &following, isStart: false, isEnd: isEnd)
        case .set(let set) where program.sets[set].contains(scalar):
          add(instruction + 1, to: &following, isStart: false, isEnd: isEnd)
        default: break
        }
      }
      swap(&current, &following)
    }
    return current.contains(program.instructions.count - 1)
  }

  /// Adds an instruction and all that follow it without a scalar.
  private func add(_ instruction: Int, to threads: inout PatternThreads, isStart: Bool, isEnd: Bool) {
    pending.append(instruction)
    while let instruction = pending.popLast() {
      guard threads.insert(instruction) else { continue }
      switch program.instructions[instruction] {
      case .split(let first, let second):
        pending.append(second)
        pending.append(first)
      case .jump(let target): pending.append(target)
      case .start: if isStart { pending.append(instruction + 1) }
      case .end: if isEnd { pending.append(instruction + 1) }
      case .scalar, .set, .match: break
      }
    }
  }

  /// The scalar at a position, which moves past it; nil where the bytes are not UTF-8.
  @inline(__always)
  private static func scalar(_ text: UnsafeRawBufferPointer, _ position: inout Int) -> UInt32? {
    let first = UInt32(text[position])
    position &+= 1
    if first < 0x80 { return first }
    let count = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
    guard first >= 0xC2, first < 0xF5, position &+ count <= text.count else { return nil }
    var value = first & (0x3F >> UInt32(count))
    for _ in 0..<count {
      let byte = UInt32(text[position])
      guard byte & 0xC0 == 0x80 else { return nil }
      value = value << 6 | byte & 0x3F
      position &+= 1
    }
    return value
  }
}

/// The instructions that a machine is at, each once: a list, and for each instruction its place in it.
struct PatternThreads {
  private var list: [Int32]
  private var places: [Int32]
  private(set) var count = 0

  init(_ size: Int) {
    list = Array(repeating: 0, count: size)
    places = Array(repeating: 0, count: size)
  }

  var isEmpty: Bool { count == 0 }

  subscript(place: Int) -> Int { Int(list[place]) }

  mutating func removeAll() { count = 0 }

  func contains(_ instruction: Int) -> Bool {
    let place = Int(places[instruction])
    return place < count && list[place] == Int32(truncatingIfNeeded: instruction)
  }

  /// Whether the instruction was not there.
  mutating func insert(_ instruction: Int) -> Bool {
    if contains(instruction) { return false }
    list[count] = Int32(truncatingIfNeeded: instruction)
    places[instruction] = Int32(truncatingIfNeeded: count)
    count &+= 1
    return true
  }
}
