public import Observation
import QuarryBackend

/// The current objects of a query, kept up to date on an actor: see ``Store/live(_:on:)``.
///
/// It is observable: it notifies a view that has read it, or `withObservationTracking(_:onChange:)`, before it changes. It
/// changes only on its actor, one commit after the other, and not while code there runs. An index is therefore valid until that
/// code awaits something. It may be read anywhere.
public final class LiveQuery<M: Model>: Observable, Sendable {
  private let content: LiveContent<M, [M]>

  init(_ reader: ChangeReader<M>, on actor: isolated any Actor) throws {
    content = try LiveContent(reader, on: actor) { $0.objects }
  }

  /// The objects, in the query's order.
  public var objects: [M] { content.content }

  /// The error that ended the updates; nil while the objects are kept up to date, and after the store was closed.
  public var error: (any Error)? { content.error }

  /// Waits until the list has every commit that ended before the call.
  ///
  /// ```swift
  /// try await store.insert(book)
  /// try await books.settled()
  /// // books has the new book.
  /// ```
  ///
  /// - Throws: The error that ended the updates; `CancellationError` when the task was cancelled before the call began.
  /// - Complexity: A check of the newest state's version; where commits wait, a read of the objects.
  public func settled() async throws { try await content.settle() }
}

extension LiveQuery: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { objects.count }
  public subscript(place: Int) -> M { objects[place] }
  /// The objects as they are now: what changes afterwards is not seen.
  public func makeIterator() -> IndexingIterator<[M]> { objects.makeIterator() }
}
