import QuarryBackend
import QuarryCore

/// What a running case uses: stores at new places, which are closed and removed when the case ends.
public final class ConformanceContext: @unchecked Sendable {
  // Unchecked: a case and its context run in one task; cases hand only stores to others.
  let harness: any ConformanceHarness
  /// The way in which the case runs.
  let variant: ConformanceVariant
  /// Is mixed into the seeds of random cases by `caseSeed(_:)`; 0 for the run that is always the same.
  let seed: UInt64
  let observer = VariantObserver()
  private var stores: [Store] = []
  private var places: [any BackendProvider] = []

  init(_ harness: any ConformanceHarness, _ variant: ConformanceVariant = .fresh, seed: UInt64 = 0) {
    self.harness = harness
    self.variant = variant
    self.seed = seed
  }

  /// What the harness declares.
  var manifest: BackendManifest { harness.manifest }

  /// A place where there is nothing yet.
  func makePlace() throws -> any BackendProvider {
    let place = try harness.makePlace()
    places.append(place)
    return variant == .fresh ? place : VariantProvider(inner: place, variant: variant, observer: observer)
  }

  /// The place as the harness made it, without the variant's decorator.
  func undecorated(_ place: any BackendProvider) -> any BackendProvider {
    (place as? VariantProvider)?.inner ?? place
  }

  /// The files of the store at the place.
  func files(at place: any BackendProvider) -> [String] { harness.files(at: undecorated(place)) }

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

/// A place whose backends stand behind a variant's decorator.
struct VariantProvider: BackendProvider {
  let inner: any BackendProvider
  let variant: ConformanceVariant
  let observer: VariantObserver

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    try variant.open(inner, options, observer)
  }
}
