public import QuarryBackend

/// An object without a Swift type: the values of its properties by name. For tools, migrations and stores whose models
/// the program does not know.
public struct Record: Sendable, Hashable {
  /// The names of the properties, shared by the records of one query.
  let names: [ByteString]
  public internal(set) var values: [Value]

  init(names: [ByteString], values: [Value]) {
    self.names = names
    self.values = values
  }

  /// A record of these fields. Of two with one name the last counts.
  public init(_ fields: KeyValuePairs<String, Value>) {
    self.init(fields.map { ($0.key, $0.value) })
  }

  /// A record of these fields. Of two with one name the last counts.
  public init(_ fields: [(name: String, value: Value)]) {
    var names: [ByteString] = []
    var values: [Value] = []
    for field in fields {
      let name = ByteString(field.name)
      if let place = names.firstIndex(of: name) {
        values[place] = field.value
      } else {
        names.append(name)
        values.append(field.value)
      }
    }
    self.init(names: names, values: values)
  }

  /// The value of the property, or nil when the record has no such field.
  public subscript(name: String) -> Value? {
    let name = ByteString(name)
    return names.firstIndex(of: name).map { values[$0] }
  }

  /// The fields in the order of the record.
  public var fields: [(name: String, value: Value)] {
    zip(names, values).map { ($0.0.string, $0.1) }
  }
}
