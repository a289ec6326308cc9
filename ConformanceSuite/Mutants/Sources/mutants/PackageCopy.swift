import Foundation
import MutantPlanting

/// A copy of the package with mutants planted in its sources, which one build turns into a tool that holds them all.
struct PackageCopy {
  let root: URL
  let folder: URL

  private static let copied = ["Sources", "ConformanceSuite/Sources"]

  /// The files of the package that are copied, by their paths from its root.
  func sources() throws -> [String: String] {
    var sources: [String: String] = [:]
    for top in Self.copied {
      let paths = FileManager.default.enumerator(atPath: root.appending(path: top).path)
      while let path = paths?.nextObject() as? String {
        var isFolder: ObjCBool = false
        let file = root.appending(path: "\(top)/\(path)")
        guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue else {
          continue
        }
        sources["\(top)/\(path)"] = try String(contentsOf: file, encoding: .utf8)
      }
    }
    guard !sources.isEmpty else { throw Problem("there are no sources in \(root.path)") }
    return sources
  }

  /// Writes what differs from what is there, so that a build after a small change is small.
  func write(_ sources: [String: String]) throws {
    var files = sources
    files["Package.swift"] = try manifest()
    try SwitchCode.add(to: &files)
    let resolved = root.appending(path: "Package.resolved")
    if let text = try? String(contentsOf: resolved, encoding: .utf8) { files["Package.resolved"] = text }
    for (path, text) in files {
      let file = folder.appending(path: path)
      if let old = try? String(contentsOf: file, encoding: .utf8), old == text { continue }
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    for top in Self.copied {
      let paths = FileManager.default.enumerator(atPath: folder.appending(path: top).path)
      while let path = paths?.nextObject() as? String {
        if path.hasSuffix(".swift"), files["\(top)/\(path)"] == nil {
          try FileManager.default.removeItem(at: folder.appending(path: "\(top)/\(path)"))
        }
      }
    }
  }

  private func manifest() throws -> String {
    let text = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
    return text + """

      package.targets.removeAll { $0.type == .test || $0.path?.hasPrefix("Tests/") == true }
      for target in package.targets where target.type == .regular {
        target.dependencies.append("\(PlantedSource.switchModule)")
      }
      package.targets.append(.target(name: "\(PlantedSource.switchModule)", path: "MutantSwitch"))

      """
  }
}
