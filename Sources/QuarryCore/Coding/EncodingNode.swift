import QuarryBackend

/// The output of one `encode(to:)` so far. A class, because nested containers and super encoders write into their place after it
/// was handed out.
final class EncodingNode {
  enum Slot {
    case value(Value)
    case node(EncodingNode)
  }

  private enum Kind {
    case nothing, single, keyed, unkeyed
  }

  private var kind = Kind.nothing
  private var single = Value.null
  private var slots: [Slot] = []
  private var names: [String] = []
  /// The places of names, created when a nested container checks whether its name exists. Values need not check, because the last
  /// value of a name wins in the end.
  private var places: [ByteString: Int]?

  var count: Int { slots.count }

  /// Notes that a keyed container was requested, which happens once for each class of a hierarchy.
  func becomeKeyed(_ state: EncodingState) { become(.keyed, state) }

  func becomeUnkeyed(_ state: EncodingState) { become(.unkeyed, state) }

  private func become(_ kind: Kind, _ state: EncodingState) {
    if self.kind == .nothing { self.kind = kind }
    if self.kind != kind { state.fail(Self.mixed) }
  }

  func set(single value: Value) throws(StorageError) {
    guard kind == .nothing else { throw Self.mixed }
    kind = .single
    single = value
  }

  func append(_ value: Value) {
    slots.append(.value(value))
  }

  func appendNode() -> EncodingNode {
    let node = EncodingNode()
    slots.append(.node(node))
    return node
  }

  func set(_ value: Value, name: String) {
    slots.append(.value(value))
    names.append(name)
    places?[ByteString(name)] = slots.count - 1
  }

  /// The node under a name: an existing one is returned, so that a nested container that is requested twice continues it.
  func node(name: String) -> EncodingNode {
    var places = self.places ?? [:]
    if self.places == nil {
      for (index, name) in names.enumerated() { places[ByteString(name)] = index }
    }
    // Prevents a second owner of the dictionary while it is changed.
    self.places = nil
    defer { self.places = places }
    if let place = places[ByteString(name)], case .node(let node) = slots[place] { return node }
    let node = EncodingNode()
    slots.append(.node(node))
    names.append(name)
    places[ByteString(name)] = slots.count - 1
    return node
  }

  /// The tree of all that was written.
  ///
  /// - Throws: `invalidValue` when nothing was.
  func value(_ path: @autoclosure () -> CodingPath) throws(StorageError) -> Value {
    switch kind {
    case .nothing:
      throw StorageError(.invalidValue, "encode(to:) wrote nothing (at \(describe(codingPath: path().keys)))")
    case .single: return single
    case .unkeyed:
      var elements: [Value] = []
      elements.reserveCapacity(slots.count)
      for (index, slot) in slots.enumerated() { elements.append(try value(slot, .element(index, of: path()))) }
      return .array(elements)
    case .keyed:
      return .object(try members(path))
    }
  }

  private func value(_ slot: Slot, _ path: @autoclosure () -> CodingPath) throws(StorageError) -> Value {
    switch slot {
    case .value(let value): return value
    case .node(let node): return try node.value(path())
    }
  }

  /// The members in the order of their names' bytes, each once: of equal names the last.
  private func members(_ path: () -> CodingPath) throws(StorageError) -> [Value.Member] {
    let order = names.indices.sorted { left, right in
      let (a, b) = (names[left].utf8, names[right].utf8)
      if a.lexicographicallyPrecedes(b) { return true }
      return left < right && !b.lexicographicallyPrecedes(a)
    }
    var members: [Value.Member] = []
    members.reserveCapacity(order.count)
    for (position, index) in order.enumerated() {
      let name = names[index]
      if position + 1 < order.count, name.utf8.elementsEqual(names[order[position + 1]].utf8) { continue }
      let key = ValueCodingKey(stringValue: name)
      members.append(Value.Member(name, try value(slots[index], .member(key, of: path()))))
    }
    return members
  }

  private static var mixed: StorageError {
    StorageError(.invalidValue, "encode(to:) wrote to containers of two kinds, or more than one single value")
  }
}
