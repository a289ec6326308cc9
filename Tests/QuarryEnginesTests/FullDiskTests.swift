import Foundation
import QuarryBackend
import QuarryCore
import QuarryExerciser
import Testing

/// A disk that fills: a typed error, nothing lost, and a store that goes on when there is space again.
@Suite struct FullDiskTests {
  @Test(.enabled(if: SmallDisk.isPermitted, "mounting needs root"), arguments: Engine.allCases, [100, 4_000, 60_000])
  func fullDiskLosesNothing(_ engine: Engine, _ rowBytes: Int) throws {
    let disk = try SmallDisk(megabytes: 4)
    let ballast = disk.folder.appending(path: "ballast")
    try Data(count: 2 << 20).write(to: ballast)
    let store = disk.folder.appending(path: "store")
    try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
    let child = try Child(engine, store, "fill", "\(rowBytes)", "0", ballast.path)
    let codes = try Self.expectUsable(child, engine, store)
    #expect(codes == ["full", "full"])
  }

  /// The same with an error that the system gives to a process whose files may not grow, as it does without root.
  @Test(arguments: Engine.allCases, [4_000])
  func limitedFileLosesNothing(_ engine: Engine, _ rowBytes: Int) throws {
    let scratch = try Scratch()
    let child = try Child(engine, scratch.folder, "fill", "\(rowBytes)", "\(1 << 20)")
    let codes = try Self.expectUsable(child, engine, scratch.folder)
    // The system calls it a file that is too large, not a device without space.
    #expect(codes.allSatisfy { ["full", "io"].contains($0) }, "\(codes)")
  }

  /// - Returns: The codes of the refusals.
  private static func expectUsable(_ child: Child, _ engine: Engine, _ folder: URL) throws -> [String] {
    let lines = try child.lines()
    let about = "\(lines.suffix(4))"
    #expect(child.wait() == 0, "\(about)")
    let words = lines.map { $0.split(separator: " ").map(String.init) }
    let count = try #require(words.last { $0.first == "usable" }.flatMap { Int($0[1]) }, "\(about)")
    let store = try Store(models: BatchWorkload.models, in: engine.provider(in: folder.path))
    defer { try? store.close() }
    #expect(try store.count(Note.self) == count)
    if store.manifest.capabilities[.check]?.isSupported == true { #expect(try store.check() == []) }
    return words.filter { $0.first == "refused" }.map { $0.count > 1 ? $0[1] : "" }
  }
}
