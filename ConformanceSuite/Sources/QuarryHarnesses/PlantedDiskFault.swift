import QuarryBackend
public import QuarryConformance
import QuarryFlatFile
import QuarryKeyValue
import QuarrySystem

/// A fault on the way to the disk that is in an engine, and not in the record of a sound one (`LabFault`): the laboratory of
/// crashes has to find each.
public enum PlantedDiskFault: String, CaseIterable, Sendable {
  /// A commit returns before it is on the disk: the engine is opened for less than what was asked for, and says nothing of
  /// it.
  case acknowledgedEarly
  /// A commit returns before it is on the disk, which it is brought to by the next one.
  case syncedByTheNext
  /// A batch of which only a part was written is taken for a whole one: whatever the checksum, it is right.
  case tornTakenForGood

  /// The engines that it is planted in.
  public var engines: [String] {
    switch self {
    case .acknowledgedEarly: ["flat-file", "sqlite", "lmdb"]
    case .syncedByTheNext, .tornTakenForGood: ["flat-file"]
    }
  }

  /// The name of the harness with the fault, by which a second process finds it.
  func name(in engine: String) -> String { "\(engine)-\(rawValue)" }
}

extension EngineHarnesses {
  /// The engine's harness with a fault; nil where it is not planted there.
  public static func harness(
    _ engine: String, with fault: PlantedDiskFault, in folder: TemporaryFolder
  ) -> (any ConformanceHarness)? {
    guard fault.engines.contains(engine), let sound = harness(engine, in: folder) else { return nil }
    return PlantedHarness(sound: sound, fault: fault)
  }

  /// The harness of the name that ``PlantedDiskFault`` gives it.
  static func planted(_ name: String, in folder: TemporaryFolder) -> (any ConformanceHarness)? {
    for fault in PlantedDiskFault.allCases {
      for engine in fault.engines where fault.name(in: engine) == name {
        return harness(engine, with: fault, in: folder)
      }
    }
    return nil
  }
}

private struct PlantedHarness: ConformanceHarness {
  let sound: any ConformanceHarness
  let fault: PlantedDiskFault

  var name: String { fault.name(in: sound.name) }
  var manifest: BackendManifest { sound.manifest }
  var isPersistent: Bool { true }

  func makePlace() throws -> any BackendProvider { PlantedPlace(sound: try sound.makePlace(), fault: fault) }
  func remove(_ place: any BackendProvider) { sound.remove(Self.sound(place)) }
  func files(at place: any BackendProvider) -> [String] { sound.files(at: Self.sound(place)) }
  func folder(of place: any BackendProvider) -> String? { sound.folder(of: Self.sound(place)) }

  var secondProcess: ConformanceProcess? {
    guard let process = sound.secondProcess else { return nil }
    return ConformanceProcess(
      process.program, arguments: [name], address: { process.address(Self.sound($0)) },
      place: { [fault] in PlantedPlace(sound: try process.place($0), fault: fault) })
  }

  private static func sound(_ place: any BackendProvider) -> any BackendProvider {
    (place as? PlantedPlace)?.sound ?? place
  }
}

private struct PlantedPlace: BackendProvider {
  let sound: any BackendProvider
  let fault: PlantedDiskFault

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    guard fault != .acknowledgedEarly else {
      var options = options
      options.durability = .processCrash
      return try sound.open(options)
    }
    guard let place = sound as? FlatFileConfiguration else { return try sound.open(options) }
    let engine = try FlatFileEngine(place, options, files: PlantedFiles(fault: fault))
    do throws(StorageError) {
      return try KeyValueBackend(engine, options: options)
    } catch {
      try? engine.close()
      throw error
    }
  }
}

// MARK: Files

private struct PlantedFiles: FlatFileSystem {
  let fault: PlantedDiskFault
  private let sound = SystemFileSystem()

  init(fault: PlantedDiskFault) {
    self.fault = fault
  }

  var registry: FlatFileRegistry { sound.registry }
  func resolve(_ path: String) throws(StorageError) -> String { try sound.resolve(path) }
  func status(of path: String) throws(StorageError) -> FileStatus? { try sound.status(of: path) }
  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> (any StoreFile)? {
    guard let file = try sound.open(path, access) else { return nil }
    return PlantedFile(file, fault)
  }
  func rename(_ path: String, to newPath: String) throws(StorageError) { try sound.rename(path, to: newPath) }
  func names(beginningWith path: String) throws(StorageError) -> [String] { try sound.names(beginningWith: path) }
  func remove(_ path: String) throws(StorageError) { try sound.remove(path) }
  func syncDirectory(of path: String) throws(StorageError) { try sound.syncDirectory(of: path) }
  func freeBytes(beside path: String) -> Int? { sound.freeBytes(beside: path) }
}

private final class PlantedFile: StoreFile {
  private let sound: any StoreFile
  private let fault: PlantedDiskFault

  init(_ sound: any StoreFile, _ fault: PlantedDiskFault) {
    (self.sound, self.fault) = (sound, fault)
  }

  func status() throws(StorageError) -> FileStatus { try sound.status() }
  func truncate(to size: Int) throws(StorageError) { try sound.truncate(to: size) }
  func setPermissions(_ permissions: UInt32) throws(StorageError) { try sound.setPermissions(permissions) }
  func lock() throws(StorageError) -> Bool { try sound.lock() }
  func unlock() { sound.unlock() }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    // What was written before comes to the disk now, when it was acknowledged long since.
    if fault == .syncedByTheNext { try sound.sync() }
    try sound.write(bytes, at: offset)
  }

  func sync() throws(StorageError) {
    if fault != .syncedByTheNext { try sound.sync() }
  }

  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    let count = try sound.read(into: bytes, at: offset)
    if fault == .tornTakenForGood { Self.mend(UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])) }
    return count
  }

  /// Puts right checksums into whatever looks like a batch: `docs/formats/flat-file.md`.
  private static func mend(_ bytes: UnsafeMutableRawBufferPointer) {
    let (magic, headerBytes) = (Array("QBAT".utf8), 48)
    var place = 0
    while place + headerBytes <= bytes.count {
      guard bytes[place..<place + 4].elementsEqual(magic) else {
        place += 1
        continue
      }
      let lent = UnsafeRawBufferPointer(bytes)
      let length = lent.loadLittleEndian(place + 32, as: UInt64.self)
      guard length <= UInt64(bytes.count - place - headerBytes) else { return }
      let end = place + headerBytes + Int(length)
      let content = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: lent[place + headerBytes..<end]))
      bytes.storeLittleEndian(content, at: place + 40)
      let header = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: lent[place..<place + 44]))
      bytes.storeLittleEndian(header, at: place + 44)
      place = end
    }
  }
}
