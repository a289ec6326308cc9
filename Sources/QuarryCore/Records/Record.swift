public import QuarryBackend

/// An object without a Swift type: the values of its properties by name. For tools, migrations and stores whose models
/// the program does not know.
public struct Record: Sendable, Hashable {
  /// The names of the properties, shared by the records of one query.
  let names: RecordNames
  /// The values in the order of the names.
  public let values: [Value]

  /// A record that shares its names with others: the quick form for many records.
  ///
  /// - Parameters:
  ///   - names: The names, in the order of the values.
  ///   - values: A value for each name.
  /// - Returns: nil when the numbers of values and names differ.
  public init?(_ names: RecordNames, _ values: [Value]) {
    guard names.list.count == values.count else { return nil }
    self.names = names
    self.values = values
  }

  init(names: RecordNames, values: [Value]) {
    self.names = names
    self.values = values
  }

  /// A record of these fields. If two have one name, the last counts.
  ///
  /// - Parameter fields: The names of properties with their values: `["id": 7, "title": "Emma"]`.
  public init(_ fields: KeyValuePairs<String, Value>) {
    self.init(fields.map { ($0.key, $0.value) })
  }

  /// A record of these fields. If two have one name, the last counts.
  ///
  /// - Parameter fields: The names of properties with their values.
  public init(_ fields: [(name: String, value: Value)]) {
    var names: [ByteString] = []
    var values: [Value] = []
    var places: [ByteString: Int] = [:]
    for field in fields {
      let name = ByteString(field.name)
      if let place = places[name] {
        values[place] = field.value
      } else {
        places[name] = names.count
        names.append(name)
        values.append(field.value)
      }
    }
    self.init(names: RecordNames(names), values: values)
  }

  /// The value of the property, or nil when the record has no such field.
  public subscript(name: String) -> Value? {
    let name = ByteString(name)
    return names.list.firstIndex(of: name).map { values[$0] }
  }

  /// The fields in the order of the record.
  public var fields: [(name: String, value: Value)] {
    zip(names.list, values).map { ($0.0.string, $0.1) }
  }
}

/// Names of properties that many records share.
public final class RecordNames: Sendable, Hashable {
  let list: [ByteString]

  init(_ list: [ByteString]) {
    self.list = list
  }

  /// Names in the order in which the records' values come.
  ///
  /// - Parameter names: The names of properties.
  /// - Returns: nil when a name occurs twice.
  public convenience init?(_ names: [String]) {
    let list = names.map { ByteString($0) }
    guard Set(list).count == list.count else { return nil }
    self.init(list)
  }

  public static func == (left: RecordNames, right: RecordNames) -> Bool {
    left === right || left.list == right.list
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(list)
  }
}
