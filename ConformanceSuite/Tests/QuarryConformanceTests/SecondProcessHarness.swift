import Foundation
import QuarryBackend
import QuarryFlatFile
import QuarryHarnesses

@testable import QuarryConformance
@testable import QuarryConformanceKit

/// Flat files and a second process that is not what it should be, or a first one.
struct SecondProcessHarness: ConformanceHarness {
  let name = "flat-file"
  let isPersistent = true
  let manifest = FlatFileHarness().manifest
  var secondProcess: ConformanceProcess?
  /// What this process opens instead of a place.
  var open: @Sendable (FlatFileConfiguration, OpenOptions) throws(StorageError) -> any Backend = {
    (place, options) throws(StorageError) in try place.open(options)
  }
  private let files = FlatFileHarness()

  /// - Parameter program: Nil for the sound one.
  init(_ program: String? = nil) {
    secondProcess = ConformanceProcess(
      program ?? "quarry-conformance", arguments: ["flat-file"], address: { ($0 as? Place)?.inner.path },
      place: { FlatFileConfiguration(path: $0) })
  }

  func makePlace() throws -> any BackendProvider {
    guard let inner = try files.makePlace() as? FlatFileConfiguration else { throw StorageError(.io, "no place") }
    return Place(inner: inner, opening: open)
  }

  func remove(_ place: any BackendProvider) {
    if let place = place as? Place { files.remove(place.inner) }
  }

  struct Place: BackendProvider {
    let inner: FlatFileConfiguration
    let opening: @Sendable (FlatFileConfiguration, OpenOptions) throws(StorageError) -> any Backend

    func open(_ options: OpenOptions) throws(StorageError) -> any Backend { try opening(inner, options) }
  }

  func report(
    _ cases: [ConformanceCase], _ change: (inout ConformanceSelection) -> Void = { _ in }
  ) -> ConformanceReport {
    var selection = ConformanceSelection()
    selection.variants = [.fresh]
    selection.killCount = 2
    selection.patience = 3
    change(&selection)
    return ConformanceRunner(self, selection, cases: cases).run()
  }
}

/// A program of a few lines of shell, which is there while the value lives.
final class Script {
  let path: String

  init(_ lines: String) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "quarry-\(UUID().uuidString).sh").path
    try "#!/bin/sh\n\(lines)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
