package import QuarryBackend
package import QuarryEncryption

/// The keys of the kit, always the same: a second process finds them by their numbers.
package enum ConformanceKey {
  /// - Parameter number: 0 for the key of the variant `encrypted`.
  package static func key(_ number: UInt8 = 0, bytes count: Int = 32) throws(StorageError) -> EncryptionKey {
    try EncryptionKey((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) ^ number &* 101 })
  }
}

/// A harness whose places are sealed with the kit's key, whoever opens them: for the variant `encrypted`.
struct SealedHarness: ConformanceHarness {
  let inner: any ConformanceHarness

  var name: String { inner.name }
  var manifest: BackendManifest { inner.manifest }
  var isPersistent: Bool { inner.isPersistent }
  var clock: ConformanceClock { inner.clock }
  var deviations: [ConformanceDeviation] { inner.deviations }

  func afterLostPower(_ durability: BackendManifest.Durability) -> LostPowerPromise { inner.afterLostPower(durability) }
  func makePlace() throws -> any BackendProvider { Self.sealed(try inner.makePlace()) }
  func makePlacesWithAnyOptions() throws -> [(name: String, place: any BackendProvider)] {
    try inner.makePlacesWithAnyOptions().map { ($0.name, Self.sealed($0.place)) }
  }
  func remove(_ place: any BackendProvider) { inner.remove(Self.opened(place)) }
  func files(at place: any BackendProvider) -> [String] { inner.files(at: Self.opened(place)) }
  func folder(of place: any BackendProvider) -> String? { inner.folder(of: Self.opened(place)) }
  var storage: ConformanceStorage { inner.storage }
  func neighbours(of place: any BackendProvider) throws -> [String] { try inner.neighbours(of: Self.opened(place)) }
  func place(at path: String) throws -> (any BackendProvider)? { try inner.place(at: path).map(Self.sealed) }

  var secondProcess: ConformanceProcess? {
    guard let process = inner.secondProcess else { return nil }
    var sealed = ConformanceProcess(
      process.program, arguments: process.arguments, address: { process.address(Self.opened($0)) },
      place: { Self.sealed(try process.place($0)) })
    sealed.isSealed = true
    return sealed
  }

  private static func sealed(_ place: any BackendProvider) -> any BackendProvider {
    if let place = place as? any ScratchProvider { return SealedScratchPlace(inner: place) }
    return SealedPlace(inner: place)
  }

  private static func opened(_ place: any BackendProvider) -> any BackendProvider {
    (place as? any SealingPlace)?.opened ?? place
  }
}

/// A place that is opened with the kit's key, where no other is given.
private protocol SealingPlace: BackendProvider {
  var opened: any BackendProvider { get }
}

extension SealingPlace {
  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    if options.encryption != nil { return try opened.open(options) }
    var options = options
    options.encryption = Encryption(try ConformanceKey.key())
    return try opened.open(options)
  }
}

private struct SealedPlace: SealingPlace {
  let inner: any BackendProvider
  var opened: any BackendProvider { inner }
}

private struct SealedScratchPlace: SealingPlace, ScratchProvider {
  let inner: any ScratchProvider
  var opened: any BackendProvider { inner }

  func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R {
    try inner.withScratch { place in try body(SealedPlace(inner: place)) }
  }
}
