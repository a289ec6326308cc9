// Written by scripts/generate-calls. Change the calls that are marked there.

extension Links {
  /// Adds an object at the end of the list: `try show.rooms.append(picture, in: tx)`.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func append(_ target: Target, in store: Store) async throws {
    try await store.writeCall { tx in try self.append(target, in: tx) }
  }

  /// Adds the object that a reference leads to at the end of the list.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func append(_ target: Ref<Target>, in store: Store) async throws {
    try await store.writeCall { tx in try self.append(target, in: tx) }
  }

  /// Adds objects at the end of the list: all of them, or none when it throws.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func append(contentsOf targets: sending some Sequence<Target> & SendableMetatype, in store: Store) async throws
  {
    try await store.writeCall { tx in try self.append(contentsOf: targets, in: tx) }
  }

  /// Adds the objects that references lead to at the end of the list: all of them, or none when it throws.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @_disfavoredOverload
  public func append(contentsOf targets: sending some Sequence<Ref<Target>> & SendableMetatype, in store: Store)
    async throws
  {
    try await store.writeCall { tx in try self.append(contentsOf: targets, in: tx) }
  }

  /// Adds an object at a place in the list, before the object that is there.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func insert(_ target: Target, at place: Int, in store: Store) async throws {
    try await store.writeCall { tx in try self.insert(target, at: place, in: tx) }
  }

  /// Adds the object that a reference leads to at a place in the list, before the object that is there.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func insert(_ target: Ref<Target>, at place: Int, in store: Store) async throws {
    try await store.writeCall { tx in try self.insert(target, at: place, in: tx) }
  }

  /// Removes an object from the list, as often as it is in it. The object itself stays.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func remove(_ target: Target, in store: Store) async throws -> Int {
    try await store.writeCall { tx in try self.remove(target, in: tx) }
  }

  /// Removes the object that a reference leads to from the list, as often as it is in it.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func remove(_ target: Ref<Target>, in store: Store) async throws -> Int {
    try await store.writeCall { tx in try self.remove(target, in: tx) }
  }

  /// Removes the object at a place from the list. The object itself stays.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func remove(at place: Int, in store: Store) async throws {
    try await store.writeCall { tx in try self.remove(at: place, in: tx) }
  }

  /// Removes all objects from the list. The objects themselves stay.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @discardableResult
  public func removeAll(in store: Store) async throws -> Int {
    try await store.writeCall { tx in try self.removeAll(in: tx) }
  }

  /// Moves the object at a place of the list to another place.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func move(from place: Int, to other: Int, in store: Store) async throws {
    try await store.writeCall { tx in try self.move(from: place, to: other, in: tx) }
  }

  /// Replaces the list with just these objects, in their order: all of it, or nothing when it throws.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func replace(with targets: sending some Sequence<Target> & SendableMetatype, in store: Store) async throws {
    try await store.writeCall { tx in try self.replace(with: targets, in: tx) }
  }

  /// Replaces the list with just the objects that the references lead to, in their order: all of it, or nothing when it throws.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  @_disfavoredOverload
  public func replace(with targets: sending some Sequence<Ref<Target>> & SendableMetatype, in store: Store) async throws
  {
    try await store.writeCall { tx in try self.replace(with: targets, in: tx) }
  }
}
