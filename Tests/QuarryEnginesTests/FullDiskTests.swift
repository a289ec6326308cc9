import Foundation
import QuarryBackend
import QuarryCore
import QuarryHarnesses
import Testing

@testable import QuarryConformance

/// A disk that fills, which only root can make: `full`, nothing lost, and a store that goes on when there is space again.
/// What the kit tries everywhere with a limit of the process is `LIM.full`.
@Suite struct FullDiskTests {
  @Test(.enabled(if: SmallDisk.isPermitted, "mounting needs root"), arguments: Engine.allCases, [100, 4_000, 60_000])
  func fullDiskLosesNothing(_ engine: Engine, _ rowBytes: Int) throws {
    let disk = try SmallDisk(megabytes: 4)
    let ballast = disk.folder.appending(path: "ballast")
    try Data(count: 2 << 20).write(to: ballast)
    let folder = disk.folder.appending(path: "store")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let program = try #require(EngineHarnesses.harness(engine.rawValue, in: TemporaryFolder())?.secondProcess)
    let child = try SecondProcess(program, at: engine.path(in: folder.path), patience: .seconds(120), limit: 600)
    try child.expectGreeting()
    try child.ask("open batch")
    let filled = try child.ask("fill \(rowBytes)").split(separator: " ").map(String.init)
    #expect(filled.last == "full")
    try child.expect("verify-filling \(rowBytes)", filled[0])
    let error = #expect(throws: StorageError.self) { try child.ask("fill-more \(rowBytes) \((4 << 20) / rowBytes)") }
    #expect(error?.code == .full)
    try child.expect("verify-filling \(rowBytes)", filled[0])
    try child.ask("remove-file \(ballast.path)")
    let count = try #require(Int(filled[0])) + 3
    try child.expect("fill-more \(rowBytes) 3", "\(count)")
    try child.expect("verify-filling \(rowBytes)", "\(count)")
    try child.ask("close")
    try child.finish()
    let store = try Store(models: BatchWorkload.models, in: engine.provider(in: folder.path))
    defer { try? store.close() }
    #expect(try store.count(Note.self) == count)
    #expect(try store.check() == [])
  }
}
