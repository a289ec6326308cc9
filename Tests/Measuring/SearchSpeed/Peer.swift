import QuarryBackend

/// A text search of others, over a table that has the texts.
protocol Peer: AnyObject {
  var name: String { get }
  /// Inserts texts with their places as keys, in one transaction.
  func insert(_ texts: ArraySlice<String>) throws
  /// Gives some texts the new ones at their places, in one transaction.
  func update(_ ids: Range<Int>, _ old: [String], _ new: [String]) throws
  /// The keys that a search finds, in their order, or the first by rank.
  func keys(_ search: PeerSearch, ranked limit: Int?) throws -> [Int]
  func close() throws
}

enum PeerSearch {
  case words([String])
  case beginning(String)
  case phrase(String)
}

struct PeerFailure: Error, CustomStringConvertible { let description: String }

/// An engine that is measured beside a peer.
struct Subject {
  let name: String
  /// The place of a store with a name.
  let place: (String) throws -> any BackendProvider
  /// The bytes of the store with a name.
  let size: (String) throws -> Int
  let remove: (String) throws -> Void
}
