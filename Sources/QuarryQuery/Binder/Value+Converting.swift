public import QuarryBackend

extension Value {
  /// The value as exactly that type: what a value becomes that was written as text, as JSON or as another number.
  ///
  /// Numbers are converted when nothing is lost; a decimal becomes the nearest Float or Double, as a literal in the
  /// program's text does. Strings are read as UUID (RFC 9562), date (ISO 8601, UTC without a zone), data (base64 of
  /// RFC 4648), URL or decimal. Elements of arrays are converted to their type. Nil stays nil.
  ///
  /// - Parameter element: The type of an array's elements.
  /// - Throws: `invalidValue` when the value is no such value or would be changed.
  public func converted(to type: PropertyType, element: PropertyType? = nil) throws(StorageError) -> Value {
    switch (type, self) {
    case (_, .null): return self
    case (.float, .float), (.double, .double), (.date, .date): return self
    case (.float, .double(let value)) where value.isNaN: return .float(.nan)
    case (.double, .float(let value)) where value.isNaN: return .double(.nan)
    case (.array, .array(let values)):
      guard let element, element != .nested, element != .array else { break }
      var converted: [Value] = []
      converted.reserveCapacity(values.count)
      for value in values { converted.append(try value.converted(to: element)) }
      return .array(converted)
    case (.nested, _), (.array, _): break
    default:
      switch fitted(to: type) {
      case .exact(let value): return value
      case .between, .notANumber:
        throw StorageError(.invalidValue, "\(text) cannot be stored exactly as \(type.name)")
      case .unreadable:
        throw StorageError(.invalidValue, "\(text) cannot be read as \(type.name)")
      case .incomparable:
        throw StorageError(.invalidValue, "\(kind) cannot be stored as \(type.name)")
      }
    }
    guard conforms(to: type, element: element) else {
      try TreeLimits.check(self)
      throw StorageError(.invalidValue, "\(kind) cannot be stored as \(type.name)")
    }
    return self
  }
}

extension PropertySchema {
  /// A value as the property stores it.
  ///
  /// ``QuarryBackend/Value/converted(to:element:)``. A compound key, and a reference to an object with one, may be an array of
  /// the members.
  ///
  /// - Parameter value: A value of any type, such as a number of a query's text.
  /// - Throws: `invalidValue` where that is not exact.
  public func converted(_ value: Value) throws(StorageError) -> Value {
    guard let keyMembers, case .array(let values) = value else {
      return try value.converted(to: type, element: elementType)
    }
    return try Self.key(values, keyMembers)
  }

  /// The bytes of a compound key of these members, each converted where that is exact.
  package static func key(_ values: [Value], _ members: [KeyMember]) throws(StorageError) -> Value {
    var converted: [Value] = []
    for (value, member) in zip(values, members) {
      if let inner = member.members, case .array(let values) = value {
        converted.append(try key(values, inner))
      } else {
        converted.append(try value.converted(to: member.type))
      }
    }
    // One that lacks a member, or has another, is refused there.
    return .data(try CompoundKeyBytes.data(converted + values.dropFirst(converted.count), members))
  }
}
