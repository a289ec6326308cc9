#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarrySQL

  /// Value trees as the JSON that `jsonb` gives back: it loses the sign of zero, exponents and the order of names, and knows no
  /// NUL.
  enum PostgreSQLTreeJSON {
    /// The JSON of a tree.
    ///
    /// - Parameter element: The element type of an array property; nil for nested values.
    /// - Returns: The text, and whether it gives back exactly the tree; else it is the nearest that JSON can say.
    static func encode(
      _ bytes: UnsafeRawBufferPointer, element: PropertyType?
    ) throws(StorageError) -> (text: [UInt8], isExact: Bool) {
      guard bytes.count <= NestedJSON.maximumBytes else { return (Array("null".utf8), false) }
      let value = try NestedCoding.decode(bytes)
      if let text = NestedJSON.encode(value, element: element), isKept(value) { return (text, true) }
      return (nearest(value, element: element), false)
    }

    /// Whether `jsonb` keeps the JSON of a value as it is.
    private static func isKept(_ value: Value) -> Bool {
      switch value {
      case .null, .bool, .int, .uint, .uuid, .decimal, .url, .data: true
      case .float(let number): isPlain(number.description)
      case .double(let number): isPlain(number.description)
      case .date(let date): isPlain(date.timeIntervalSinceReferenceDate.description)
      case .string(let text): !text.utf8.contains(0)
      case .array(let elements): elements.allSatisfy(isKept)
      case .object(let members): members.allSatisfy { !$0.name.utf8.contains(0) && isKept($0.value) }
      }
    }

    /// Whether a number is written without an exponent, and is not the negative zero.
    private static func isPlain(_ number: String) -> Bool {
      number != "-0.0" && !number.utf8.contains(UInt8(ascii: "e"))
    }

    /// What people and queries in SQL find in the column of a tree that has no exact form.
    private static func nearest(_ value: Value, element: PropertyType?) -> [UInt8] {
      let near = nearest(value)
      guard let text = NestedJSON.encode(near, element: nil) else {
        // An array is one of its type for whoever reads the column alone.
        return Array((element == nil ? "null" : "[]").utf8)
      }
      return text
    }

    private static func nearest(_ value: Value) -> Value {
      switch value {
      case .float(let number): nearest(Double(number))
      case .double(let number): nearest(number)
      case .date(let date): nearest(date.timeIntervalSinceReferenceDate)
      case .string(let text): .string(nearest(text))
      case .uuid(let uuid): .string(uuid.uuidString)
      case .url(let url): .string(nearest(url.absoluteString))
      case .data(let data): .string(data.base64EncodedString())
      case .decimal(let decimal): .string(decimal.description)
      case .array(let elements): .array(elements.map { nearest($0) })
      case .object(let members): nearest(members)
      default: value
      }
    }

    private static func nearest(_ number: Double) -> Value {
      if number == 0 { return .double(0) }
      return isPlain(number.description) && number.isFinite ? .double(number) : .string(number.description)
    }

    private static func nearest(_ text: String) -> String {
      text.utf8.contains(0)
        ? String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })) : text
    }

    /// The members with names that have no NUL; of two that become one the first.
    private static func nearest(_ members: [Value.Member]) -> Value {
      var seen: Set<ByteString> = []
      var result: [Value.Member] = []
      for member in members {
        let name = nearest(member.name)
        if seen.insert(ByteString(name)).inserted { result.append(Value.Member(name, nearest(member.value))) }
      }
      return .object(result)
    }
  }
#endif
