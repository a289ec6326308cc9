import Foundation

/// The store of one engine for the time of a size: closed, opened again, emptied and weighed as the workloads need.
public final class StoreSlot {
  public let engine: BenchmarkEngine
  private let folder: String
  private var current: (any BenchmarkStore)?

  init(_ engine: BenchmarkEngine, folder: String) {
    self.engine = engine
    self.folder = folder
  }

  /// The open store.
  public var store: any BenchmarkStore {
    get throws {
      guard let current else { throw BenchmarkError("\(engine.name) is not open") }
      return current
    }
  }

  /// Opens the store, empty.
  func recreate() throws {
    try remove()
    try open()
  }

  func open() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    current = try engine.open(folder)
  }

  /// Makes a store with relations beside it, which whoever asks for it closes: in place of the one before.
  func openRelated() throws -> any RelatedStore {
    guard let open = engine.openRelated else { throw BenchmarkError("\(engine.name) has no relations") }
    return try open(emptyFolder("related"))
  }

  /// Makes a store whose changes are observed beside it, as ``openRelated()`` does.
  func openObserved() throws -> any ObservedStore {
    guard let open = engine.openObserved else { throw BenchmarkError("\(engine.name) tells of no changes") }
    return try open(emptyFolder("observed"))
  }

  private func emptyFolder(_ name: String) throws -> String {
    let folder = folder + "/" + name
    try engine.remove(folder: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  func close() throws {
    let store = current
    current = nil
    try store?.close()
  }

  func remove() throws {
    try close()
    try engine.remove(folder: folder)
  }

  /// Bytes that the files take on the disk, once the store has been closed; nil for a store without files.
  func bytesOnDisk() throws -> Int? {
    guard engine.isPersistent else { return nil }
    try close()
    let bytes = try engine.bytes(inFolder: folder)
    try open()
    return bytes
  }
}

/// Something that the benchmark cannot or must not do, in words for the terminal.
public struct BenchmarkError: Error, CustomStringConvertible, Equatable {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}

/// A workload whose result was not what it must be.
public struct WrongAnswer: Error, CustomStringConvertible {
  public let description: String

  package init(_ description: String) {
    self.description = description
  }

  static func require<T: Equatable>(_ actual: T, _ expected: T, _ what: String) throws {
    guard actual == expected else { throw WrongAnswer("\(what) is \(actual), and must be \(expected)") }
  }
}
