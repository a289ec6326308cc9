import QuarryBackend
public import QuarryCore

extension Store {
  /// Exchanges the changes of two synced stores of this process, until both know the same, on any two engines.
  ///
  /// Each store takes the missing entries in transactions of its own. When the call throws, for a full disk for example, the
  /// taken entries stay, and the next call continues there. Other threads may write meanwhile: entries that come after the
  /// last exchange go with the next call.
  ///
  /// - Parameters:
  ///   - a: A store for which ``enableSync(_:naturalKeys:as:)`` was called.
  ///   - b: Another one. One of them may be a hub; the other one then becomes its client, and exchanges changes with it alone.
  ///   - principal: Of a hub: to whom the other store belongs. A hub that gives parts gives that principal's; without a principal
  ///     the other store receives everything.
  ///   - deletes: The number of objects that the exchange may delete of a model where that is half of them, and more than 100.
  /// - Returns: The numbers of exchanged entries, and the digests of both stores.
  /// - Throws: `notFound` for a store that is not synced; `schemaMismatch` where the synced models differ; `unsupported` for two
  ///   hubs, and for a client with another store than its hub; `limitExceeded` for more deletes than are allowed; the errors of
  ///   reading and writing.
  /// - Complexity: O(n) for n objects, because of the digests; the exchange itself O(m) for m entries in the logs.
  @discardableResult
  public static func replicate(
    _ a: Store, _ b: Store, as principal: SyncPrincipal? = nil, allowingDeletes deletes: Int = 0
  ) throws -> ReplicationReport {
    guard let left = a.sync, let right = b.sync else { throw StorageError.notSynced }
    return try Replication(left, right, SyncTerms(deletes: deletes, principal: principal)).run()
  }
}

/// The result of an exchange between two stores.
public struct ReplicationReport: Sendable {
  /// The entries, one for each transaction, that each store has taken from the other. Of a part of a hub, its objects.
  public var taken: (a: Int, b: Int) = (0, 0)
  /// The entries that were refused, mostly because they are stamped more than 5 minutes ahead of the receiver's clock.
  public var refused = 0
  /// Why entries were refused, as a sentence for people; nil where none were.
  public var problem: String?
  /// The number of exchanges, in both directions.
  public var rounds = 0
  /// Whether both stores knew the same entries at the end.
  public var agrees = false
  /// The number of held items in each store at the end.
  public var held: (a: Int, b: Int) = (0, 0)
  /// The digests of the synced objects in each store at the end.
  public var digests: (a: SyncDigest, b: SyncDigest)

  package init(
    taken: (a: Int, b: Int), refused: Int, problem: String?, rounds: Int, agrees: Bool, held: (a: Int, b: Int),
    digests: (a: SyncDigest, b: SyncDigest)
  ) {
    self.taken = taken
    self.refused = refused
    self.problem = problem
    self.rounds = rounds
    self.agrees = agrees
    self.held = held
    self.digests = digests
  }

  /// Whether the stores agree, and show the same objects.
  public var isEqual: Bool { agrees && digests.a == digests.b }
}

extension ReplicationReport: CustomStringConvertible {
  /// What each store has taken, and whether the stores show the same objects.
  public var description: String {
    func entries(_ count: Int) -> String { "\(count) \(count == 1 ? "entry" : "entries")" }
    let count = "\(rounds) \(rounds == 1 ? "round" : "rounds")"
    var lines = ["\(entries(taken.a)) and \(entries(taken.b)) were taken in \(count)"]
    if refused > 0 { lines.append("\(entries(refused)) were refused" + (problem.map { ": \($0)" } ?? "")) }
    if held.a + held.b > 0 { lines.append("\(held.a) and \(held.b) items are held") }
    lines.append(isEqual ? "the stores show the same objects" : "the stores differ")
    return lines.joined(separator: "\n")
  }
}

/// An exchange between two stores of one process.
struct Replication {
  let left: StoreSync
  let right: StoreSync
  /// Where other threads go on writing, the stores never know the same: the exchange ends there.
  private static let mostRounds = 16

  private let terms: SyncTerms

  init(_ left: StoreSync, _ right: StoreSync, _ terms: SyncTerms) {
    self.left = left
    self.right = right
    self.terms = terms
  }

  func run() throws -> ReplicationReport {
    for side in [left, right] { try side.store.requireNoTransaction() }
    try left.requireSameModels(right.models())
    try left.follow(right.hello())
    try right.follow(left.hello())
    // Each entry that a hub refuses takes a round, because those behind it change.
    let mostRounds = Self.mostRounds + (try left.pending(for: right.knowledge()) + right.pending(for: left.knowledge()))
    var taken = (a: 0, b: 0)
    var refused = 0
    var problem: String?
    var rounds = 0
    var agrees = false
    while !agrees, rounds < mostRounds {
      rounds += 1
      let toLeft = try pull(left, from: right)
      let toRight = try pull(right, from: left)
      taken = (taken.a + toLeft.taken, taken.b + toRight.taken)
      refused = toLeft.refused + toRight.refused
      problem =
        toLeft.reason?.sentence(receiver: "The first store", sender: "the second one")
        ?? toRight.reason?.sentence(receiver: "The second store", sender: "the first one")
      agrees = try left.knowledge() == right.knowledge()
      // What became of a client's own objects may not be in its part: the hub has still to say so.
      if toLeft.isOfPart && toRight.taken > 0 || toRight.isOfPart && toLeft.taken > 0 { agrees = false }
      if refused > 0, toLeft.taken + toRight.taken == 0 { break }
    }
    try left.note(peer: right, agrees: agrees)
    try right.note(peer: left, agrees: agrees)
    return ReplicationReport(
      taken: taken, refused: refused, problem: problem, rounds: rounds, agrees: agrees,
      held: (try left.heldCount(), try right.heldCount()),
      digests: (try digest(of: left, for: right), try digest(of: right, for: left)))
  }

  /// What a store has taken, and whether it has a part of the peer.
  private typealias Pulled = (taken: Int, refused: Int, reason: RefusedChanges?, isOfPart: Bool)

  private func pull(_ store: StoreSync, from peer: StoreSync) throws -> Pulled {
    var taken = 0
    var isOfPart = false
    var hello = try store.hello()
    while true {
      let (messages, isEnd) = try peer.answer(hello, terms)
      let (refused, reason) = try store.intake(hello.session, messages, terms)
      taken += max(0, messages.count(where: \.message.isContent) - refused)
      isOfPart = isOfPart || hello.place != nil || messages.contains { $0.message.isOfPart }
      guard !isEnd, refused == 0 else { return (taken, refused, reason, isOfPart) }
      let next = try store.hello()
      guard next.place != hello.place else { return (taken, refused, reason, isOfPart) }
      hello = next
    }
  }

  private func digest(of store: StoreSync, for peer: StoreSync) throws -> SyncDigest {
    try store.digest(for: peer.hello(), terms.principal)
  }
}
