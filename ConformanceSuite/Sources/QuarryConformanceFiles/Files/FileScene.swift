import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// A place that has a path, for cases that put other things there and beside it.
struct FileScene {
  let kit: ConformanceContext
  let place: any BackendProvider
  /// Of the store: a file, or a folder with its files.
  let path: String
  private let program: ConformanceProcess

  /// - Returns: Nil for a harness whose places have no paths.
  init?(_ kit: ConformanceContext) throws {
    place = try kit.makePlace()
    let plain = kit.undecorated(place)
    // The address of a store on a server is no path.
    guard kit.harness.folder(of: plain) != nil, let program = kit.harness.secondProcess,
      let path = program.address(plain)
    else { return nil }
    self.kit = kit
    self.program = program
    self.path = path
  }

  /// The folder that the place is in, which is the case's alone.
  var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  func place(at path: String) throws -> any BackendProvider { try program.place(path) }

  func open(
    _ place: (any BackendProvider)? = nil, isReadOnly: Bool = false, creates: Bool = true
  ) throws -> Store {
    var options = OpenOptions()
    options.isReadOnly = isReadOnly
    options.createsIfMissing = creates
    return try kit.open([Item.self], at: place ?? self.place, options: options)
  }

  /// Makes a store with items, and closes it.
  func make(_ items: [Item], at place: (any BackendProvider)? = nil) throws {
    let store = try open(place)
    try store.insert(contentsOf: items)
    try store.close()
  }

  /// A folder in the case's own.
  func makeFolder(_ name: String) throws -> String {
    let path = folder + "/" + name
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// A second process at the place that opens the store, does the commands and is killed: what it has of the store stays as
  /// it is at that moment.
  func kill(_ commands: [String]) throws {
    let child = try kit.secondProcess(at: place, "open item")
    for command in commands { try child.ask(command) }
    child.kill()
  }

  /// The names in a folder, in order.
  static func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// The content of every ordinary file in the case's folder and in those in it, by its path there.
  func contents() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let path = folder + "/" + name
      guard Self.kind(path) == .typeRegular else { continue }
      found[name] = try Data(contentsOf: URL(fileURLWithPath: path))
    }
    return found
  }

  /// What is at a path, links not followed; nil for nothing.
  static func kind(_ path: String) -> FileAttributeType? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
  }

  /// Writes the files of a copy of a store over those at the place by hand, and leaves everything else there.
  func overwrite(with copy: String) throws {
    let isFolder = Self.kind(copy) == .typeDirectory
    for name in isFolder ? try Self.names(copy).map({ "/" + $0 }) : [""] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: copy + name))
      // Not in one step by a rename: as `cp` does it.
      try bytes.write(to: URL(fileURLWithPath: path + name))
    }
  }

  /// Removes what a copy of the store has, by hand, and leaves everything else there.
  func removeData(asIn copy: String) throws {
    let isFolder = Self.kind(copy) == .typeDirectory
    for name in isFolder ? try Self.names(copy).map({ "/" + $0 }) : [""] {
      try FileManager.default.removeItem(atPath: path + name)
    }
  }

  /// Names that engines give to files of their own beside a store, and in its folder.
  static let ownEndings = ["-wal", "-shm", "-journal", "._quarry.partial", ".lock", "/lock.mdb", "/data.mdb.partial"]

  /// The paths that own files of the store may have: those that are there while it is open, and those of engines that are
  /// known. What is left of a closed store is not among them.
  func ownPaths() throws -> [String] {
    let store = try open()
    try store.insert(Item(900_000))
    let open = Set(kit.files(at: place))
    try store.delete(Item.self, 900_000)
    try store.close()
    let closed = Set(kit.files(at: place))
    let known = Self.ownEndings.filter { $0.first != "/" || Self.kind(path) == .typeDirectory }.map { path + $0 }
    return open.union(known).subtracting(closed.filter { !$0.hasSuffix("/lock.mdb") }).sorted()
  }
}

extension ConformanceCase {
  /// A case about files of stores that have a path.
  static func files(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [], usesProcess: Bool = false,
    within limit: Duration = .seconds(30), file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (FileScene) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "FILE.\(name)", clauses, summary, needs: needs, requiresPersistence: true, requiresSecondProcess: usesProcess,
      without: ConformanceVariant.allButFresh, within: limit, file: file, line: line
    ) { kit in
      if let scene = try FileScene(kit) { try body(scene) }
    }
  }
}
