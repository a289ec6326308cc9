import QuarryBackend

/// The encoder that a value's `encode(to:)` receives.
struct NodeEncoder: Encoder {
  let node: EncodingNode
  let state: EncodingState
  let path: CodingPath
  /// The number of arrays and objects around the value.
  let depth: Int

  var codingPath: [any CodingKey] { path.keys }
  var userInfo: [CodingUserInfoKey: Any] { state.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeKeyed(state)
    return KeyedEncodingContainer(KeyedNodeContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeUnkeyed(state)
    return UnkeyedNodeContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleNodeContainer(encoder: self)
  }

  /// The encoder of a part of this value.
  fileprivate func inner(_ node: EncodingNode, _ path: CodingPath) -> NodeEncoder {
    // A container that is too deep cannot be refused here; the next write is.
    if depth + 1 > NestedCoding.maximumDepth { try? state.check(depth: depth + 1) }
    return NodeEncoder(node: node, state: state, path: path, depth: depth + 1)
  }
}

// The generic methods below also witness the requirements for the standard library's types, but for the integers of 128 bits:
// for these the library has defaults, which refuse them.

private struct KeyedNodeContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil(forKey key: Key) throws {
    try encoder.state.check(depth: encoder.depth + 1)
    encoder.node.set(.null, name: key.stringValue)
  }

  mutating func encode(_ value: Int128, forKey key: Key) throws { try set(value, key) }
  mutating func encode(_ value: UInt128, forKey key: Key) throws { try set(value, key) }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try set(value, key) }

  private func set<T: Encodable>(_ value: T, _ key: Key) throws {
    let encoded = try encoder.state.value(
      of: value, path: .member(key, of: encoder.path), depth: encoder.depth + 1)
    encoder.node.set(encoded, name: key.stringValue)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    inner(key).container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    inner(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { inner(ValueCodingKey.super) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { inner(key) }

  private func inner(_ key: some CodingKey) -> NodeEncoder {
    encoder.inner(encoder.node.node(name: key.stringValue), .member(key, of: encoder.path))
  }
}

private struct UnkeyedNodeContainer: UnkeyedEncodingContainer {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  mutating func encodeNil() throws {
    try encoder.state.check(depth: encoder.depth + 1)
    encoder.node.append(.null)
  }

  mutating func encode(_ value: Int128) throws { try append(value) }
  mutating func encode(_ value: UInt128) throws { try append(value) }
  mutating func encode<T: Encodable>(_ value: T) throws { try append(value) }

  private func append<T: Encodable>(_ value: T) throws {
    let encoded = try encoder.state.value(
      of: value, path: .element(count, of: encoder.path), depth: encoder.depth + 1)
    encoder.node.append(encoded)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    inner().container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inner().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { inner() }

  private func inner() -> NodeEncoder {
    let path = CodingPath.element(count, of: encoder.path)
    return encoder.inner(encoder.node.appendNode(), path)
  }
}

private struct SingleNodeContainer: SingleValueEncodingContainer {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil() throws {
    try encoder.node.set(single: .null)
  }

  mutating func encode(_ value: Int128) throws { try set(value) }
  mutating func encode(_ value: UInt128) throws { try set(value) }
  mutating func encode<T: Encodable>(_ value: T) throws { try set(value) }

  private func set<T: Encodable>(_ value: T) throws {
    try encoder.node.set(single: try encoder.state.value(of: value, path: encoder.path, depth: encoder.depth))
  }
}
