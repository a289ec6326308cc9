import Foundation
import Testing

/// The pages that lead contributors to files name files that exist.
@Suite struct NamedFileTests {
  /// Every Swift file and document of the repository, by its last name, with its paths from the root.
  private static let files: [String: [String]] = {
    var files: [String: [String]] = [:]
    for folder in ["Sources", "Tests", "ConformanceSuite", "Benchmarks", "docs"] {
      let names = FileManager.default.enumerator(atPath: DocumentationTests.root.appending(path: folder).path)
      while let name = names?.nextObject() as? String {
        guard !name.contains(".build"), name.hasSuffix(".swift") || name.hasSuffix(".md") else { continue }
        let path = "\(folder)/\(name)"
        files[String(path.split(separator: "/").last ?? ""), default: []].append(path)
      }
    }
    return files
  }()

  @Test(arguments: ["docs/extending.md", "docs/architecture.md"])
  func everyNamedFileExists(_ page: String) throws {
    let text = try String(contentsOf: DocumentationTests.root.appending(path: page), encoding: .utf8)
    // NAME and MODULE stand for a new engine's.
    let names = text.matches(of: /`([\w+\/.-]+\.(?:swift|md))`/).map { String($0.output.1) }
      .filter { !$0.contains("NAME") }
    #expect(names.count >= 10)
    for name in names where !exists(name) {
      let paths = Self.files[String(name.split(separator: "/").last ?? "")] ?? []
      #expect(paths.contains { $0.hasSuffix("/\(name)") }, "\(page) names \(name)")
    }
    let folders = text.matches(of: /`((?:Sources|Tests|ConformanceSuite)\/[\w+\/-]+)`/).map { String($0.output.1) }
    for folder in folders where !folder.contains("MODULE") { #expect(exists(folder), "\(page) names \(folder)") }
  }

  /// Each addition that contributors make has a section, whose first place is a file, a folder or a clause.
  @Test(arguments: [
    "an engine", "a capability", "a property type", "an operator to conditions", "an index kind", "a command",
    "a commit participant",
  ])
  func everyAdditionHasItsSection(_ addition: String) throws {
    let page = try String(contentsOf: DocumentationTests.root.appending(path: "docs/extending.md"), encoding: .utf8)
    let sections = page.components(separatedBy: "\n## ")
    let section = try #require(sections.first { $0.hasPrefix("Add \(addition)\n") })
    #expect(section.contains("\n1. "))
    let names = section.matches(of: /`([\w+\/.-]+\.(?:swift|md))`|\]\(([\w\/.-]+\.md)/)
    #expect(names.count >= 2, "\(addition) names \(names.count) files")
  }

  private func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: DocumentationTests.root.appending(path: path).path)
  }
}
