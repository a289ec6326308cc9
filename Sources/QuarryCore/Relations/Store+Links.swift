import QuarryBackend

// Changes of lists, each in a transaction of its own.

extension Store {
  /// Adds an object at the end of a list, in a transaction of its own. See ``WriteTransaction/append(_:to:)``.
  public func append<M: Model>(_ target: M, to links: Links<M>) throws {
    try write { try $0.append(target, to: links) }
  }

  /// Adds objects at the end of a list, in a transaction of its own: all of them, or none when it throws.
  public func append<M: Model>(contentsOf targets: some Sequence<M>, to links: Links<M>) throws {
    try write { try $0.append(contentsOf: targets, to: links) }
  }

  /// Adds an object so that it comes at a place in a list, in a transaction of its own.
  public func insert<M: Model>(_ target: M, at place: Int, in links: Links<M>) throws {
    try write { try $0.insert(target, at: place, in: links) }
  }

  /// Takes an object out of a list, as often as it is in it, in a transaction of its own. The object itself stays.
  ///
  /// - Returns: How often it was.
  @discardableResult
  public func remove<M: Model>(_ target: M, from links: Links<M>) throws -> Int {
    try write { try $0.remove(target, from: links) }
  }

  /// Takes the object at a place out of a list, in a transaction of its own. The object itself stays.
  public func remove<M: Model>(at place: Int, from links: Links<M>) throws {
    try write { try $0.remove(at: place, from: links) }
  }

  /// Takes all objects out of a list, in a transaction of its own. The objects themselves stay.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func removeAll<M: Model>(from links: Links<M>) throws -> Int {
    try write { try $0.removeAll(from: links) }
  }

  /// Moves the object at a place of a list to another place, in a transaction of its own.
  public func move<M: Model>(from place: Int, to other: Int, in links: Links<M>) throws {
    try write { try $0.move(from: place, to: other, in: links) }
  }

  /// Makes a list of just these objects, in their order, in a transaction of its own.
  public func replace<M: Model>(_ links: Links<M>, with targets: some Sequence<M>) throws {
    try write { try $0.replace(links, with: targets) }
  }

  /// Adds an object at the end of a list, in a transaction of its own. See ``WriteTransaction/append(_:to:)``.
  public func append<M: Model>(_ target: M, to links: Links<M>) async throws {
    try await write { try $0.append(target, to: links) }
  }

  /// Adds objects at the end of a list, in a transaction of its own: all of them, or none when it throws.
  public func append<M: Model>(contentsOf targets: sending some Sequence<M> & SendableMetatype, to links: Links<M>)
    async throws
  {
    try await write { try $0.append(contentsOf: targets, to: links) }
  }

  /// Adds an object so that it comes at a place in a list, in a transaction of its own.
  public func insert<M: Model>(_ target: M, at place: Int, in links: Links<M>) async throws {
    try await write { try $0.insert(target, at: place, in: links) }
  }

  /// Takes an object out of a list, as often as it is in it, in a transaction of its own. The object itself stays.
  ///
  /// - Returns: How often it was.
  @discardableResult
  public func remove<M: Model>(_ target: M, from links: Links<M>) async throws -> Int {
    try await write { try $0.remove(target, from: links) }
  }

  /// Takes the object at a place out of a list, in a transaction of its own. The object itself stays.
  public func remove<M: Model>(at place: Int, from links: Links<M>) async throws {
    try await write { try $0.remove(at: place, from: links) }
  }

  /// Takes all objects out of a list, in a transaction of its own. The objects themselves stay.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func removeAll<M: Model>(from links: Links<M>) async throws -> Int {
    try await write { try $0.removeAll(from: links) }
  }

  /// Moves the object at a place of a list to another place, in a transaction of its own.
  public func move<M: Model>(from place: Int, to other: Int, in links: Links<M>) async throws {
    try await write { try $0.move(from: place, to: other, in: links) }
  }

  /// Makes a list of just these objects, in their order, in a transaction of its own.
  public func replace<M: Model>(_ links: Links<M>, with targets: sending some Sequence<M> & SendableMetatype)
    async throws
  {
    try await write { try $0.replace(links, with: targets) }
  }

  // MARK: By references

  /// Adds the object that a reference leads to at the end of a list, in a transaction of its own.
  public func append<M: Model>(_ target: Ref<M>, to links: Links<M>) throws {
    try write { try $0.append(target, to: links) }
  }

  /// Adds the objects that references lead to at the end of a list, in a transaction of its own: all of them, or none when it
  /// throws.
  @_disfavoredOverload
  public func append<M: Model>(contentsOf targets: some Sequence<Ref<M>>, to links: Links<M>) throws {
    try write { try $0.append(contentsOf: targets, to: links) }
  }

  /// Adds the object that a reference leads to, so that it comes at a place in a list, in a transaction of its own.
  public func insert<M: Model>(_ target: Ref<M>, at place: Int, in links: Links<M>) throws {
    try write { try $0.insert(target, at: place, in: links) }
  }

  /// Takes the object that a reference leads to out of a list, as often as it is in it, in a transaction of its own.
  ///
  /// - Returns: How often it was.
  @discardableResult
  public func remove<M: Model>(_ target: Ref<M>, from links: Links<M>) throws -> Int {
    try write { try $0.remove(target, from: links) }
  }

  /// Makes a list of just the objects that the references lead to, in their order, in a transaction of its own.
  @_disfavoredOverload
  public func replace<M: Model>(_ links: Links<M>, with targets: some Sequence<Ref<M>>) throws {
    try write { try $0.replace(links, with: targets) }
  }

  /// Adds the object that a reference leads to at the end of a list, in a transaction of its own.
  public func append<M: Model>(_ target: Ref<M>, to links: Links<M>) async throws {
    try await write { try $0.append(target, to: links) }
  }

  /// Adds the objects that references lead to at the end of a list, in a transaction of its own: all of them, or none when it
  /// throws.
  @_disfavoredOverload
  public func append<M: Model>(
    contentsOf targets: sending some Sequence<Ref<M>> & SendableMetatype, to links: Links<M>
  ) async throws {
    try await write { try $0.append(contentsOf: targets, to: links) }
  }

  /// Adds the object that a reference leads to, so that it comes at a place in a list, in a transaction of its own.
  public func insert<M: Model>(_ target: Ref<M>, at place: Int, in links: Links<M>) async throws {
    try await write { try $0.insert(target, at: place, in: links) }
  }

  /// Takes the object that a reference leads to out of a list, as often as it is in it, in a transaction of its own.
  ///
  /// - Returns: How often it was.
  @discardableResult
  public func remove<M: Model>(_ target: Ref<M>, from links: Links<M>) async throws -> Int {
    try await write { try $0.remove(target, from: links) }
  }

  /// Makes a list of just the objects that the references lead to, in their order, in a transaction of its own.
  @_disfavoredOverload
  public func replace<M: Model>(
    _ links: Links<M>, with targets: sending some Sequence<Ref<M>> & SendableMetatype
  ) async throws {
    try await write { try $0.replace(links, with: targets) }
  }
}
