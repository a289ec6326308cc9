import QuarryBackend

extension QueryTree {
  /// Identifies what pages are of: model, predicate and order. The same in every process and on every machine; limit,
  /// offset and position do not count. FNV-1a of 64 bits, so it tells mistakes apart and is no protection from forgery.
  ///
  /// - Complexity: O(size of the predicate).
  package var fingerprint: UInt64 {
    var hash = StableHash()
    hash.combine(text: model)
    hash.combine(predicate)
    hash.combine(UInt64(order.count))
    for key in order {
      hash.combine(text: key.property)
      for member in key.members { hash.combine(text: member) }
      hash.combine(key.isDescending ? 1 : 0)
    }
    // Nothing without links, so that positions of pages stay what they were.
    if let links {
      hash.combine(text: links.model)
      hash.combine(text: links.property)
      hash.combine(.compare(.value(links.key), .equal, .value(.null)))
    }
    return hash.value
  }
}

/// FNV-1a over an encoding in which every part says what it is and how long.
private struct StableHash {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func combine(byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  mutating func combine(_ number: UInt64) {
    for shift in stride(from: 0 as UInt64, to: 64, by: 8) { combine(byte: UInt8(truncatingIfNeeded: number >> shift)) }
  }

  mutating func combine(text: String) {
    combine(UInt64(text.utf8.count))
    for byte in text.utf8 { combine(byte: byte) }
  }

  private mutating func combine(_ path: PropertyPath) {
    combine(text: path.property)
    combine(UInt64(path.members.count))
    for member in path.members { combine(text: member) }
  }

  private mutating func combine(_ operand: Operand) {
    var rest = [operand]
    while let operand = rest.popLast() {
      switch operand {
      case .property(let path):
        combine(byte: 1)
        combine(path)
      case .count(let path):
        combine(byte: 2)
        combine(path)
      case .value(let value):
        combine(byte: 3)
        combine(value)
      case .arithmetic(let left, let operation, let right):
        combine(byte: 4)
        combine(text: operation.rawValue)
        rest.append(right)
        rest.append(left)
      }
    }
  }

  /// With a list of what is left to do instead of recursion: a tree may be deeper than the stack.
  mutating func combine(_ predicate: PredicateTree) {
    var rest = [predicate]
    while let node = rest.popLast() {
      switch node {
      case .constant(let value):
        combine(byte: value ? 11 : 10)
      case .compare(let left, let comparison, let right):
        combine(byte: 12)
        combine(left)
        combine(text: comparison.rawValue)
        combine(right)
      case .oneOf(let operand, let values):
        combine(byte: 13)
        combine(operand)
        combine(.array(values))
      case .function(let call):
        // What an abbreviation stands for, as before it was one.
        if let expansion = call.expansion { rest.append(expansion) } else { combine(call) }
      case .any(let path, let child), .all(let path, let child):
        if case .any = node { combine(byte: 16) } else { combine(byte: 17) }
        combine(path)
        rest.append(child)
      case .not(let child):
        combine(byte: 18)
        rest.append(child)
      case .and(let children), .or(let children):
        if case .and = node { combine(byte: 19) } else { combine(byte: 20) }
        combine(UInt64(children.count))
        rest.append(contentsOf: children.reversed())
      }
    }
  }

  private mutating func combine(_ call: FunctionCall) {
    switch call.form {
    case .text(let operand, let operation, let needle, let options):
      combine(byte: 14)
      combine(operand)
      combine(text: operation.rawValue)
      combine(text: needle)
      combine(byte: options.rawValue)
    case .containsElement(let path, let value):
      combine(byte: 15)
      combine(path)
      combine(value)
    case .call:
      combine(byte: 21)
      combine(text: call.name)
      combine(UInt64(call.operands.count))
      for operand in call.operands { combine(operand) }
      combine(.array(call.arguments))
      combine(byte: call.options.rawValue)
    }
  }

  private mutating func combine(_ value: Value) {
    var rest = [value]
    while let value = rest.popLast() {
      switch value {
      case .null: combine(byte: 30)
      case .bool(let value): combine(byte: value ? 32 : 31)
      case .int(let value):
        combine(byte: 33)
        combine(UInt64(bitPattern: value))
      case .uint(let value):
        combine(byte: 34)
        combine(value)
      case .float(let value):
        combine(byte: 35)
        combine(UInt64(value.bitPattern))
      case .double(let value):
        combine(byte: 36)
        combine(value.bitPattern)
      case .string(let value):
        combine(byte: 37)
        combine(text: value)
      case .date(let value):
        combine(byte: 38)
        combine(value.timeIntervalSinceReferenceDate.bitPattern)
      case .data(let value):
        combine(byte: 39)
        combine(UInt64(value.count))
        for byte in value { combine(byte: byte) }
      case .uuid(let value):
        combine(byte: 40)
        withUnsafeBytes(of: value.uuid) { bytes in for byte in bytes { combine(byte: byte) } }
      case .decimal(let value):
        combine(byte: 41)
        combine(text: ValueText.literal(.decimal(value)))
      case .url(let value):
        combine(byte: 42)
        combine(text: value.absoluteString)
      case .array(let elements):
        combine(byte: 43)
        combine(UInt64(elements.count))
        rest.append(contentsOf: elements.reversed())
      case .object(let members):
        combine(byte: 44)
        combine(UInt64(members.count))
        for member in members { combine(text: member.name) }
        rest.append(contentsOf: members.reversed().lazy.map(\.value))
      }
    }
  }
}
