import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// A closed store of items, a process that looks at it, and what the store's files had.
final class DamageScene {
  let kit: ConformanceContext
  let place: any BackendProvider
  private(set) var files: [String: Data]
  private var child: SecondProcess?

  /// Nil for a store without checksums or without files.
  ///
  /// - Parameters:
  ///   - kit: The running case.
  ///   - items: What the store has.
  ///   - change: A last change of the store before it is closed.
  init?(
    _ kit: ConformanceContext, _ items: [Item] = DamageSamples.items,
    _ change: (Store) throws -> Void = { _ in }
  ) throws {
    self.kit = kit
    (place, files) = try DamageCases.closed(kit, items, change)
    if try !Self.hasChecksums(kit, [Item.self], place) || files.isEmpty { return nil }
  }

  /// A store of other models, which the body fills.
  init?(_ kit: ConformanceContext, models: [any Model.Type], _ fill: (Store) throws -> Void) throws {
    self.kit = kit
    place = try kit.makePlace()
    let store = try kit.open(models, at: place)
    try fill(store)
    try store.close()
    files = try DamageCases.contents(kit, place)
    if try !Self.hasChecksums(kit, models, place) || files.isEmpty { return nil }
  }

  private static func hasChecksums(
    _ kit: ConformanceContext, _ models: [any Model.Type], _ place: any BackendProvider
  ) throws -> Bool {
    let store = try kit.open(models, at: place)
    let checksums = try store.statistics().details["checksums"] ?? "none"
    try store.close()
    return checksums != "none"
  }

  var largest: (path: String, data: Data) {
    get throws {
      let found = try unwrap(files.max { $0.value.count < $1.value.count }, "a file")
      return (found.key, found.value)
    }
  }

  /// Has a process do the commands; what it answers to the last one, or nil for damage that it has told.
  func answer(_ commands: String..., about: String) throws -> String? {
    let child = try self.child ?? kit.secondProcess(at: place)
    self.child = child
    var last = ""
    do {
      for command in commands { last = try child.ask(command) }
    } catch let error as StorageError {
      ProvokedErrors.note(error.code)
      _ = try? child.ask("close")
      try expect(DamageCases.identityCodes.contains(error.code), "\(about): \(error)")
      return nil
    }
    return last
  }

  /// Does the commands in a process that is killed after them, and takes the files that it leaves for those of the scene.
  func leave(_ commands: String...) throws {
    let child = try kit.secondProcess(at: place)
    for command in commands { try child.ask(command) }
    child.kill()
    files = try DamageCases.contents(kit, place)
  }

  /// Throws unless the store has its items, or says that it is damaged.
  func expectFound(_ about: String, line: Int = #line) throws {
    let answer = try answer("open item", "same-items", about: about)
    if answer != nil { _ = try self.answer("close", about: about) }
    try expect(answer ?? "same" == "same", "\(about): other objects, and no error says so", line: line)
  }

  func restore() throws {
    for path in kit.files(at: place) where files[path] == nil { try FileManager.default.removeItem(atPath: path) }
    for (path, data) in files { try data.write(to: URL(fileURLWithPath: path)) }
  }
}
