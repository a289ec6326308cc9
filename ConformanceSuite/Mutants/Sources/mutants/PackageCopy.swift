import Foundation
import MutantPlanting

/// A copy of the package with mutants planted in its sources, which one build turns into a tool that holds them all.
struct PackageCopy {
  let root: URL
  let folder: URL

  /// What the mutants are planted in: the engines, and what they and their user have in common.
  static let planted = [
    "Sources/QuarryBackend", "Sources/QuarryQuery", "Sources/QuarryCore", "Sources/QuarryKeyValue",
    "Sources/QuarryTree", "Sources/QuarryMemory", "Sources/QuarryFlatFile", "Sources/QuarrySQL",
    "Sources/QuarrySQLite", "Sources/QuarryLMDB", "Sources/QuarrySystem",
  ]
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

  static func isPlanted(_ path: String) -> Bool {
    path.hasSuffix(".swift") && planted.contains { path.hasPrefix($0 + "/") }
  }

  /// Writes what differs from what is there, so that a build after a small change is small.
  func write(_ sources: [String: String]) throws {
    var files = sources
    files["Package.swift"] = try manifest()
    files["MutantSwitch/MutantSwitch.c"] = Self.switchCode
    files["MutantSwitch/include/MutantSwitch.h"] = Self.switchHeader
    files["MutantSwitch/include/module.modulemap"] = Self.switchMap
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

  private static let switchMap = """
    module \(PlantedSource.switchModule) {
      header "MutantSwitch.h"
      export *
    }

    """

  // One load, one store and one comparison: the copy is nearly as fast as the original.
  private static let switchHeader = """
    #include <stdbool.h>
    #include <stdint.h>

    extern int32_t quarry_mutant_live;
    extern uint8_t *quarry_mutant_reached;

    static inline bool quarryMutant(int32_t number) {
      quarry_mutant_reached[number] = 1;
      return quarry_mutant_live == number;
    }

    """

  // The places that were reached are kept in a shared file, so that second processes and killed ones count.
  private static let switchCode = """
    #include "MutantSwitch.h"
    #include <fcntl.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <unistd.h>

    #define COUNT 65536

    static uint8_t own[COUNT];
    int32_t quarry_mutant_live = -1;
    uint8_t *quarry_mutant_reached = own;

    __attribute__((constructor(101))) static void start(void) {
      const char *live = getenv("QUARRY_MUTANT");
      if (live) quarry_mutant_live = atoi(live);
      const char *path = getenv("QUARRY_MUTANTS_REACHED");
      if (!path) return;
      int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      if (file < 0) return;
      if (ftruncate(file, COUNT) == 0) {
        void *shared = mmap(0, COUNT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (shared != MAP_FAILED) quarry_mutant_reached = shared;
      }
      close(file);
    }

    """
}
