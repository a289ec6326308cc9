package import QuarryBackend
package import QuarryCore

/// What a running case uses: stores at new places, which are closed and removed when the case ends.
public final class ConformanceContext: @unchecked Sendable {
  // Unchecked: a case and its context run in one task; cases hand only stores to others.
  package let harness: any ConformanceHarness
  /// The way in which the case runs.
  let variant: ConformanceVariant
  /// Is mixed into the seeds of random cases by `caseSeed(_:)`; 0 for the run that is always the same.
  package let seed: UInt64
  /// How many processes a case that kills them kills.
  package let kills: Int
  /// Whether a case that tries many places or orders tries a few of them, as in a quick run.
  package var triesFew: Bool { kills < 10 }
  /// What time limits are multiplied by.
  private let patience: Int
  private let processes: SecondProcesses
  let observer = VariantObserver()
  private var stores: [Store] = []
  private var places: [any BackendProvider] = []

  init(
    _ harness: any ConformanceHarness, _ variant: ConformanceVariant = .fresh, seed: UInt64 = 0, kills: Int = 3,
    patience: Int = 1, processes: SecondProcesses = SecondProcesses()
  ) {
    self.harness = variant == .encrypted ? SealedHarness(inner: harness) : harness
    self.variant = variant
    self.seed = seed
    self.kills = kills
    self.patience = patience
    self.processes = processes
  }

  /// What the harness declares.
  package var manifest: BackendManifest { harness.manifest }

  /// A place where there is nothing yet.
  package func makePlace() throws -> any BackendProvider {
    adopt(try harness.makePlace())
  }

  /// Places with options of the engine of extreme values, by their names.
  package func placesWithAnyOptions() throws -> [(name: String, place: any BackendProvider)] {
    try harness.makePlacesWithAnyOptions().map { ($0.name, adopt($0.place)) }
  }

  /// Takes a place that is removed at the end, and puts the variant's decorator before it.
  private func adopt(_ place: any BackendProvider) -> any BackendProvider {
    places.append(place)
    return variant == .fresh || variant == .encrypted
      ? place : VariantProvider(inner: place, variant: variant, observer: observer)
  }

  /// The place as the harness made it, without the variant's decorator.
  package func undecorated(_ place: any BackendProvider) -> any BackendProvider {
    (place as? VariantProvider)?.inner ?? place
  }

  /// The files of the store at the place.
  package func files(at place: any BackendProvider) -> [String] { harness.files(at: undecorated(place)) }

  /// A new store for the models.
  package func store(_ models: any Model.Type...) throws -> Store {
    try open(models, at: makePlace())
  }

  package func open(
    _ models: [any Model.Type], at place: any BackendProvider, options: OpenOptions = OpenOptions()
  ) throws -> Store {
    let store = try Store(models: models, in: place, options: options)
    stores.append(store)
    return store
  }

  /// Opens a store without types, for a program that knows its models as schemas.
  package func open(
    program models: [ModelSchema], at place: any BackendProvider, options: OpenOptions = OpenOptions(),
    migration: Migration = .automatic
  ) throws -> Store {
    let store = try Store(program: models, in: place, options: options, migration: migration)
    stores.append(store)
    return store
  }

  /// Opens a store for models, and brings what it has to them.
  package func open(
    _ models: [any Model.Type], at place: any BackendProvider, options: OpenOptions = OpenOptions(),
    migration: Migration
  ) throws -> Store {
    let store = try Store(models: models, in: place, options: options, migration: migration)
    stores.append(store)
    return store
  }

  /// Opens a store by a plan.
  package func open(plan: any MigrationPlan.Type, at place: any BackendProvider) throws -> Store {
    // The decorator of a variant is not of one type.
    func open(_ provider: some BackendProvider) throws -> Store { try Store(plan: plan, in: provider) }
    let store = try open(place)
    stores.append(store)
    return store
  }

  /// Starts a second process at the place, and does not wait for it.
  ///
  /// - Parameter library: The path of a library that is loaded before all others.
  package func startSecondProcess(at place: any BackendProvider, preloading library: String? = nil) throws
    -> SecondProcess
  {
    let program = try unwrap(harness.secondProcess, "the harness's second process")
    let address = try unwrap(program.address(undecorated(place)), "the place's address for a second process")
    let process = try SecondProcess(
      program, at: address, patience: .seconds(10 * patience), limit: 120 * patience,
      preloading: library)
    processes.add(process)
    return process
  }

  /// A second process at the place that has done the commands.
  package func secondProcess(
    at place: any BackendProvider, _ commands: String..., file: String = #fileID, line: Int = #line
  ) throws -> SecondProcess {
    let process = try startSecondProcess(at: place)
    try process.expectGreeting(file: file, line: line)
    for command in commands { try process.ask(command, file: file, line: line) }
    return process
  }

  /// A second process whose operations on files can be written down, or made to fail.
  package func observedProcess(
    at place: any BackendProvider, file: String = #fileID, line: Int = #line
  ) throws -> SecondProcess {
    let program = try unwrap(harness.secondProcess, "the harness's second process")
    let library = try unwrap(CrashLab.path(for: program), "the library that watches operations on files")
    let process = try startSecondProcess(at: place, preloading: library)
    try process.expectGreeting(file: file, line: line)
    return process
  }

  /// A second process that is ended before that operation on the files of a folder: the first is 1, and 0 is none.
  ///
  /// - Parameter isTorn: Whether half of the operation is done where it is a write.
  package func secondProcess(
    at place: any BackendProvider, endingAt operation: Int, isTorn: Bool = false, in folder: String,
    file: String = #fileID, line: Int = #line
  ) throws -> SecondProcess {
    let program = try unwrap(harness.secondProcess, "the harness's second process")
    let library = try unwrap(CrashLab.path(for: program), "the library that ends processes")
    let process = try startSecondProcess(at: place, preloading: library)
    try process.expectGreeting(file: file, line: line)
    try process.expect(
      "end-at \(operation) \(isTorn ? "torn" : "whole") \(try CrashLab.realPath(folder))", "ready", file: file,
      line: line)
    return process
  }

  /// Lets a second process follow a command, and counts its operations on the files of a folder.
  ///
  /// - Parameter isAnswer: Whether the process was done when it said this.
  package func operations(
    of command: String, at place: any BackendProvider, in folder: String, file: String = #fileID, line: Int = #line,
    _ isAnswer: (String) -> Bool
  ) throws -> Int {
    let process = try secondProcess(at: place, endingAt: 0, in: folder, file: file, line: line)
    let said = try process.ask(command, file: file, line: line)
    try expect(isAnswer(said), "\(command): \(said)", file: file, line: line)
    let count = try process.ask("operations", file: file, line: line)
    try process.finish()
    return try unwrap(Int(count), "a number of operations", file: file, line: line)
  }

  func cleanUp() {
    processes.killAll()
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
