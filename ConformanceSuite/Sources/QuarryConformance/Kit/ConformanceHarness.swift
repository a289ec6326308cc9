public import QuarryBackend
import QuarryCore

/// What the author of a backend writes, so that the kit can run on it.
public protocol ConformanceHarness: Sendable {
  /// The backend's name, for reports.
  var name: String { get }
  /// Whether a store that was closed can be opened again with what it had.
  var isPersistent: Bool { get }
  /// A provider for a place where there is nothing yet.
  func makePlace() throws -> any BackendProvider
  /// Removes what is at the place. The stores there were closed.
  func remove(_ place: any BackendProvider)
}

/// What a running case uses: stores at new places, which are closed and removed when the case ends.
public final class ConformanceContext: @unchecked Sendable {
  // Unchecked: a case and its context run in one task; cases hand only stores to others.
  private let harness: any ConformanceHarness
  private var stores: [Store] = []
  private var places: [any BackendProvider] = []

  init(_ harness: some ConformanceHarness) {
    self.harness = harness
  }

  /// A place where there is nothing yet.
  func makePlace() throws -> any BackendProvider {
    let place = try harness.makePlace()
    places.append(place)
    return place
  }

  /// A new store for the models.
  func store(_ models: any Model.Type...) throws -> Store {
    try open(models, at: makePlace())
  }

  func open(
    _ models: [any Model.Type], at place: any BackendProvider, options: OpenOptions = OpenOptions()
  ) throws -> Store {
    let store = try Store(models: models, in: place, options: options)
    stores.append(store)
    return store
  }

  func cleanUp() {
    for store in stores.reversed() { try? store.close() }
    stores = []
    for place in places { harness.remove(place) }
    places = []
  }
}
