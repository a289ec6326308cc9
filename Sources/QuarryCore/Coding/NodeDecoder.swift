import QuarryBackend

/// The decoder that a type's `init(from:)` receives.
struct NodeDecoder: Decoder {
  let value: Value
  let state: DecodingState
  let path: CodingPath

  var codingPath: [any CodingKey] { path.keys }
  var userInfo: [CodingUserInfoKey: Any] { state.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedNodeReader<Key>(members: try value.members(at: path), state: state, path: path))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    UnkeyedNodeReader(elements: try value.elements(at: path), state: state, path: path)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleNodeReader(decoder: self)
  }
}

// The generic methods below also witness the requirements for the standard library's types, but for the integers of 128 bits:
// for these the library has defaults, which refuse them.

private struct KeyedNodeReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// In the order of their names' bytes.
  let members: [Value.Member]
  let state: DecodingState
  let path: CodingPath

  var codingPath: [any CodingKey] { path.keys }
  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

  func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(type, key) }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try value(type, key) }

  private func value<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T {
    try state.decode(type, from: try member(key), path: .member(key, of: path))
  }

  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try valueIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try valueIfPresent(type, key) }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try valueIfPresent(type, key) }

  private func valueIfPresent<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
    guard let value = find(key.stringValue), !value.isNull else { return nil }
    return try state.decode(type, from: value, path: .member(key, of: path))
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try inner(key, try member(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try inner(key, try member(key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let key = ValueCodingKey.super
    return inner(key, find(key.stringValue) ?? .null)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { inner(key, find(key.stringValue) ?? .null) }

  private func inner(_ key: some CodingKey, _ value: Value) -> NodeDecoder {
    NodeDecoder(value: value, state: state, path: .member(key, of: path))
  }

  private func member(_ key: Key) throws -> Value {
    guard let value = find(key.stringValue) else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "no member \(key.stringValue)"))
    }
    return value
  }

  private func find(_ name: String) -> Value? {
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      let candidate = members[middle].name
      if candidate.utf8.elementsEqual(name.utf8) { return members[middle].value }
      if candidate.utf8.lexicographicallyPrecedes(name.utf8) { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}

private struct UnkeyedNodeReader: UnkeyedDecodingContainer {
  let elements: [Value]
  let state: DecodingState
  let path: CodingPath
  private(set) var currentIndex = 0

  init(elements: [Value], state: DecodingState, path: CodingPath) {
    self.elements = elements
    self.state = state
    self.path = path
  }

  var codingPath: [any CodingKey] { path.keys }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try current(Value.self).isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 { try next(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next(type) }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) }

  private mutating func next<T: Decodable>(_ type: T.Type) throws -> T {
    let result = try state.decode(type, from: try current(type), path: .element(currentIndex, of: path))
    currentIndex += 1
    return result
  }

  mutating func decodeIfPresent(_ type: Int128.Type) throws -> Int128? { try nextIfPresent(type) }
  mutating func decodeIfPresent(_ type: UInt128.Type) throws -> UInt128? { try nextIfPresent(type) }
  mutating func decodeIfPresent<T: Decodable>(_ type: T.Type) throws -> T? { try nextIfPresent(type) }

  private mutating func nextIfPresent<T: Decodable>(_ type: T.Type) throws -> T? {
    if isAtEnd { return nil }
    if try decodeNil() { return nil }
    return try next(type)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let container = try inner().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try inner().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try inner()
    currentIndex += 1
    return decoder
  }

  private func inner() throws -> NodeDecoder {
    NodeDecoder(value: try current(Value.self), state: state, path: .element(currentIndex, of: path))
  }

  private func current(_ type: Any.Type) throws -> Value {
    guard !isAtEnd else {
      let context = DecodingError.Context(
        codingPath: CodingPath.element(currentIndex, of: path).keys, debugDescription: "the array has no more elements")
      throw DecodingError.valueNotFound(type, context)
    }
    return elements[currentIndex]
  }
}

private struct SingleNodeReader: SingleValueDecodingContainer {
  let decoder: NodeDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value.isNull }

  func decode(_ type: Int128.Type) throws -> Int128 { try value(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try value(type) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try value(type) }

  private func value<T: Decodable>(_ type: T.Type) throws -> T {
    try decoder.state.decode(type, from: decoder.value, path: decoder.path)
  }
}
