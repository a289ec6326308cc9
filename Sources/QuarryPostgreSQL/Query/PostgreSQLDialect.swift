#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  /// The SQL of PostgreSQL. Constants have no types of their own: the server takes each for one of the type of its column.
  struct PostgreSQLDialect: SQLDialect {
    var parameters: SQLParameters { .numbered }

    /// A statement has 65,535 parameters at most. Lists are arrays, whatever their length.
    var limits: SQLLimits { SQLLimits(depth: 700, stack: 2_000, nodes: 2_000, parameters: 20_000, inlineList: 0) }

    var same: String { "IS NOT DISTINCT FROM" }
    var different: String { "IS DISTINCT FROM" }

    func literal(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

    func constant(_ value: Value, _ type: PropertyType) throws(StorageError) -> SQLConstant {
      switch (type, value) {
      case (_, .null): return .null
      case (.bool, .bool(let value)): return .text(Array((value ? "true" : "false").utf8))
      case (.float, .float(let value)): return .real(Double(value))
      case (.double, .double(let value)): return .real(value)
      case (.date, .date(let value)): return .real(value.timeIntervalSinceReferenceDate)
      case (.string, .string(let value)): return .text(Array(value.utf8))
      case (.url, .url(let value)): return .text(Array(value.absoluteString.utf8))
      case (.data, .data(let value)): return .blob(Array(value))
      case (.uuid, .uuid(let value)): return .text(Array(value.uuidString.utf8))
      case (.decimal, .decimal(let value)): return .text(try DecimalParts(value).text)
      case (_, .int(let value)) where type.isInteger: return .integer(value)
      case (.uint64, .uint(let value)): return .text(Array(String(value).utf8))
      default: throw StorageError(.invalidQuery, "\(value.kind) is not a constant for a property of type \(type.name)")
      }
    }

    func isNaN(_ constant: SQLConstant) -> Bool {
      if case .real(let value) = constant { return value.isNaN }
      return false
    }

    func isNumber(_ column: String, isBound: Bool) -> String { "\(column) <= 'Infinity'" }
    func isNaN(_ column: String) -> String { "\(column) = 'NaN'" }

    func function(_ call: BoundFunction, _ column: SQLColumn) -> SQLTerm? {
      guard column.isText, let (operation, needle) = call.plainSearch else { return nil }
      switch operation {
      case .contains: return SQLTerm("strpos(\(column.name), \(parameters.mark)) > 0", [.text(needle)])
      case .hasSuffix:
        let count = String(decoding: PostgreSQLText.escaped(needle), as: UTF8.self).unicodeScalars.count
        return SQLTerm("right(\(column.name), \(count)) = \(parameters.mark)", [.text(needle)])
      case .equal, .hasPrefix, .like: return nil
      }
    }

    /// The text with the next scalar in the place of the last: a text of the server's is UTF-8.
    func end(ofPrefix prefix: [UInt8]) -> SQLConstant? {
      var scalars = Array(String(decoding: prefix, as: UTF8.self).unicodeScalars)
      while let last = scalars.popLast() {
        guard last.value < 0x10FFFF else { continue }
        // There are no scalars from D800 to DFFF.
        let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
        guard let scalar = Unicode.Scalar(next) else { return nil }
        scalars.append(scalar)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return .text(Array(String(text).utf8))
      }
      return nil
    }

    func membership(_ column: SQLColumn, list: Int, isNegated: Bool) -> SQLTerm {
      let mark = parameters.mark
      let whole = "\(column.ordered) \(isNegated ? "<> ALL" : "= ANY")(\(mark))"
      guard !isNegated, column.beginning != nil else { return SQLTerm(whole, [.list(list)]) }
      // An index has the beginnings.
      let kind: PostgreSQLColumnKind = column.isText ? .text : .data
      let beginnings = PostgreSQLBeginning.isOne(
        column.name, kind, ofArray: mark + (column.isText ? "::text[]" : "::bytea[]"))
      return SQLTerm("(\(beginnings) AND \(whole))", [.list(list), .list(list)])
    }

    func sortKey(_ column: SQLColumn, isDescending: Bool) -> String {
      let direction = PostgreSQLDefinition.direction(isOptional: column.slot.isOptional, isDescending)
      let whole = column.ordered + direction
      return column.beginning.map { "\($0.column)\(direction), \(whole)" } ?? whole
    }
  }

  extension PostgreSQLParameters {
    /// Adds the constants of a statement, which are text.
    mutating func add(_ constants: [SQLConstant], _ lists: [SQLList]) {
      for constant in constants {
        switch constant {
        case .null: addNull()
        case .list(let number): add(text: Self.array(lists[number].values))
        default: add(text: Self.text(constant))
        }
      }
    }

    private static func text(_ constant: SQLConstant) -> [UInt8] {
      switch constant {
      case .integer(let value): Array(String(value).utf8)
      case .real(let value): Array(value.description.utf8)
      case .text(let bytes): PostgreSQLText.escaped(bytes)
      case .blob(let bytes): Array("\\x".utf8) + hexadecimal(bytes)
      case .null, .list: []
      }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count * 2)
      func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x57 &+ value }
      for byte in bytes {
        result.append(digit(byte >> 4))
        result.append(digit(byte & 15))
      }
      return result
    }

    /// An array as text: each element in quotes.
    private static func array(_ values: [SQLConstant]) -> [UInt8] {
      var result: [UInt8] = [UInt8(ascii: "{")]
      for (place, value) in values.enumerated() {
        if place > 0 { result.append(UInt8(ascii: ",")) }
        result.append(UInt8(ascii: "\""))
        for byte in text(value) {
          if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { result.append(UInt8(ascii: "\\")) }
          result.append(byte)
        }
        result.append(UInt8(ascii: "\""))
      }
      result.append(UInt8(ascii: "}"))
      return result
    }
  }
#endif
