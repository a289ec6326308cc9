import Foundation
import QuarryBackend
public import QuarryCore

extension StoreSync {
  /// Declares which objects of a model each principal receives from this hub: SYNC-35.
  ///
  /// ```swift
  /// try hub.sync?.part(Article.self) { who in Article.where { $0.team == who["team"] ?? "" } }
  /// ```
  ///
  /// With the first declaration each principal receives its part and nothing else: the objects of its queries, and what they
  /// refer to by `cascade` and `deny`. Declare the parts after each opening, before the store is served. A hub that has given parts
  /// once refuses principals until its program declares them.
  ///
  /// - Parameters:
  ///   - type: The model.
  ///   - choose: The query of a principal; nil for none of the objects. See ``SyncParts/part(_:_:)``.
  /// - Throws: `unsupported` for a store that is no hub; the errors of a write.
  public func part<M: Model>(
    _ type: M.Type, _ choose: @escaping @Sendable (SyncPrincipal) throws -> Query<M>?
  ) throws {
    var parts = SyncParts()
    parts.part(type, choose)
    try declare(parts)
  }

  /// Declares parts of this hub: ``part(_:_:)``.
  ///
  /// - Throws: As ``part(_:_:)``.
  public func declare(_ parts: SyncParts) throws {
    guard !parts.isEmpty else { return }
    guard try role == .hub else {
      throw StorageError(.unsupported, "parts need a hub: enableSync(as: .hub)")
    }
    keeper.add(parts)
    guard try !reading({ $0.state.hasParts }) else { return }
    try changing { work in
      work.state.hasParts = true
      try work.run { _ in }
    }
  }

  /// Whether this hub gives parts.
  package var givesParts: Bool { get throws { try !keeper.parts.isEmpty || reading { $0.state.hasParts } } }

  /// The part of a peer that asks; nil where it gets entries.
  ///
  /// - Throws: `unsupported` with a ``SyncDenial`` where the program has not declared its parts; the errors of the program's
  ///   closures.
  func part(of hello: SyncHello, _ principal: SyncPrincipal?, _ work: StoredWork) throws -> BoundPart? {
    guard work.state.role == .hub else { return nil }
    let declared = keeper.parts
    guard work.state.hasParts else {
      if hello.place != nil || !declared.isEmpty { throw SyncDenial.noParts.error }
      return nil
    }
    let hub = work.state.names[0]
    guard let principal else {
      // In one process the program is trusted. A store that had a part stays one with a part, of everything.
      return hello.place.map { _ in BoundPart(everythingOf: work.schema, hub) }
    }
    guard !declared.isEmpty else { throw SyncDenial.noParts.error }
    return try BoundPart(declared, of: principal, work.schema, hub)
  }

  /// What a peer with a part lacks of it.
  ///
  /// - Parameters:
  ///   - append: Takes the messages behind the introduction.
  ///   - isFull: Whether no more are taken.
  /// - Returns: The introduction, and whether the peer lacks nothing more; nil for a peer without a part.
  func givePart(
    _ hello: SyncHello, _ principal: SyncPrincipal?, _ append: (SyncMessage) throws(StorageError) -> Void,
    isFull: () -> Bool
  ) throws -> (introduction: SyncMessage, isEnd: Bool)? {
    let now = Date(timeIntervalSince1970: Double(keeper.environment.now()) / 1_000)
    let answer = try answering(hello) { work -> (SyncMessage, Bool, [SyncArea.Row])? in
      guard let part = try self.part(of: hello, principal, work) else { return nil }
      var giving = PartGiving(work, part, hello)
      let isEnd = try giving.run(append, isFull: isFull)
      let (introduction, places) = try work.introduction(to: hello)
      if isEnd {
        for notice in try work.notices(
          for: hello, places, isInside: { object throws(StorageError) in try giving.isInside(object) })
        { try append(notice) }
      }
      return (introduction, isEnd, try giving.rows(at: now))
    }
    guard let (introduction, isEnd, rows) = answer else { return nil }
    // What the peer is told must be known to have been given before the answer leaves.
    if !rows.isEmpty {
      try changing { work in
        guard let writer = work.transaction as? any BackendWriteTransaction else { return }
        try work.schema.area.put(rows, in: writer)
      }
    }
    return (introduction, isEnd)
  }
}

extension StoredWork {
  /// What an asker must hear first, and the entries of its names in the log, without their content.
  func introduction(to hello: SyncHello) throws(StorageError) -> (SyncMessage, [SyncEntry]) {
    try loadRefusals(of: hello.names)
    var places: [SyncEntry] = []
    if state.judgesAfter > 0 || hello.names.contains(where: { state.knowledge.vector[$0] != nil }) {
      try schema.area.forEach(AreaKey.Kind.log.prefix, in: transaction) { key, value throws(StorageError) in
        let place = try StoredEntry.place(key, value)
        if hello.names.contains(place.origin) || state.judgesAfter > 0 { places.append(place) }
        return true
      }
    }
    var replica = state.replica(schema.sync, environment, session: session)
    replica.log = places
    replica.refusals = refusals
    return (.yours(replica.introduction(hello)), places)
  }
}
