import QuarryBackend

/// The current objects of a selection as a property of a view model, kept up to date on its actor.
///
/// ```swift
/// @MainActor final class Shelf {
///   @Fetched var books: [Book]
///
///   init(_ store: Store) throws {
///     _books = try Fetched(Book.all.sorted(by: \.title), in: store)
///   }
/// }
/// ```
///
/// Code that has read the property under Observation is notified before it changes. In a class with `@Observable` it also needs
/// `@ObservationIgnored`. `$books` is the ``LiveQuery``: `$books.error`, `try await $books.settled()`.
@propertyWrapper
public struct Fetched<M: Model>: Sendable {
  /// The live list.
  public let projectedValue: LiveQuery<M>

  /// The current objects, in the selection's order.
  public var wrappedValue: [M] { projectedValue.objects }

  /// Fetches the objects and keeps them up to date on the given actor. Without one, the caller's actor is used.
  ///
  /// - Throws: As ``Store/live(_:on:)``.
  /// - Complexity: The objects are fetched in this call.
  public init(_ selection: some Selection<M>, in store: Store, on actor: isolated any Actor = #isolation) throws {
    projectedValue = try store.live(selection, on: actor)
  }
}
