// Makes the input of docc for scripts/docs.
//
//   site-articles GRAPHS LINKED CATALOG MODULE… -- DOCUMENT…
//
// writes the documents, as articles, into the catalog, and the symbol graphs, with links between modules, into LINKED. It
// reports each link of a document that leads to no file or to no heading.
import Foundation

/// A document of the repository that is an article of the site.
struct Article {
  let path: String
  let text: String
  let title: String
  /// The fragments that docc gives to the headings, by the fragments that GitHub gives to them.
  var fragments: [String: String] = [:]

  /// The name in links and addresses: `docs/guide/queries.md` is `guide-queries`. The README is the page of the
  /// module Quarry.
  var name: String {
    if path == "README.md" { return "Quarry" }
    let name = path.hasPrefix("docs/") ? String(path.dropFirst(5)) : path
    return name.dropLast(3).replacing("/", with: "-").lowercased()
  }

  var hasTitle: Bool { text.hasPrefix("# ") }

  var folder: String { (path as NSString).deletingLastPathComponent }

  init(path: String) throws {
    self.path = path
    text = try String(contentsOfFile: path, encoding: .utf8)
    var title = ""
    for (line, isCode) in Article.lines(text) where !isCode {
      guard let heading = line.prefixMatch(of: /#+ +/) else { continue }
      // What is read of a heading: links as their texts, no marks of code and emphasis.
      let words = line[heading.range.upperBound...].replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }
        .filter { $0 != "`" && $0 != "*" }
      if title.isEmpty { title = words }
      let slug = words.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
        .replacing(" ", with: "-")
      var (unique, number) = (slug, 0)
      while fragments[unique] != nil {
        number += 1
        unique = "\(slug)-\(number)"
      }
      fragments[unique] = Article.fragment(words)
    }
    self.title = title
  }

  /// The fragment that docc derives from a heading.
  static func fragment(_ heading: String) -> String {
    let words = heading.split { $0 == " " || $0 == "-" }.joined(separator: "-")
    return String(words.filter { $0 == "-" || !$0.isPunctuation })
  }

  /// The lines of a text, and for each whether it belongs to a block of code.
  static func lines(_ text: String) -> [(line: Substring, isCode: Bool)] {
    var isCode = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let isFence = line.drop { $0 == " " }.hasPrefix("```")
      if isFence { isCode.toggle() }
      return (line, isCode || isFence)
    }
  }
}

struct Site {
  let articles: [String: Article]
  let modules: [String]
  private(set) var broken: [String] = []
  /// The names of pictures in the catalog, by their paths.
  private var images: [String: String] = [:]

  init(documents: [String], modules: [String]) throws {
    // A page without a title, such as a table that a tool has written, is no article.
    let articles = try documents.filter { !$0.contains(".docc/") }.map { try Article(path: $0) }.filter { $0.hasTitle }
    self.articles = Dictionary(articles.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    self.modules = modules
  }

  /// The address of a link in the site; nil for a file that is no article.
  private mutating func address(_ link: String, in article: Article) -> String? {
    if link.contains(":") { return link }
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var path = article.path
    if !parts[0].isEmpty {
      path = URL(filePath: article.folder + "/" + parts[0], relativeTo: URL(filePath: "/")).standardizedFileURL.path
      path = String(path.drop { $0 == "/" })
    }
    guard FileManager.default.fileExists(atPath: path) else {
      broken.append("\(article.path): no such file: \(link)")
      return nil
    }
    guard let target = articles[path] ?? articles[path + "/README.md"] else { return nil }
    guard parts.count == 2 else { return "doc:\(target.name)" }
    guard let fragment = target.fragments[parts[1]] else {
      broken.append("\(article.path): no such heading: \(link)")
      return nil
    }
    return "doc:\(target.name)#\(fragment)"
  }

  /// The name of a picture in the catalog, where each name stands once.
  private mutating func image(_ link: String, in article: Article) -> String {
    let path = URL(filePath: article.folder + "/" + link, relativeTo: URL(filePath: "/")).standardizedFileURL.path
    let source = String(path.drop { $0 == "/" })
    let name = source.replacing("/", with: "-")
    images[source] = name
    return name
  }

  /// The text with its links as those of the site. Of a link to a file that is no article, its text stays.
  private mutating func linked(_ text: String, in article: Article) -> String {
    let link = /\[((?:`[^`]*`|[^\[\]`])*)\]\(([^()\s]+)\)/
    var result = ""
    var rest = text[...]
    while let match = rest.firstMatch(of: link) {
      result += rest[..<match.range.lowerBound]
      let address = address(String(match.output.2), in: article)
      if result.last == "!", address == nil {
        result += "[\(match.output.1)](\(image(String(match.output.2), in: article)))"
        rest = rest[match.range.upperBound...]
        continue
      }
      result += address.map { "[\(match.output.1)](\($0))" } ?? String(match.output.1)
      rest = rest[match.range.upperBound...]
    }
    return result + rest
  }

  /// A summary for an article that begins with code or a heading: docc takes the first paragraph for the abstract.
  ///
  /// A page of the guide has it in the list of pages, a decision in the first sentence of what was decided.
  private func summary(of article: Article) -> String? {
    let lines = Article.lines(article.text).dropFirst()
    guard let first = lines.first(where: { !$0.line.isEmpty }), first.isCode || first.line.hasPrefix("#") else {
      return nil
    }
    let pages = articles["docs/guide.md"]?.text.split(separator: "\n") ?? []
    if let page = pages.first(where: { $0.hasPrefix("- [") && $0.contains("(\(article.path.dropFirst(5))): ") }),
      let description = page.firstRange(of: "): ").map({ page[$0.upperBound...] })
    {
      return description.prefix(1).uppercased() + description.dropFirst()
    }
    guard let decision = lines.firstIndex(where: { $0.line.hasPrefix("## Decision") }) else { return nil }
    let paragraph = lines[(decision + 1)...].drop { $0.line.isEmpty || $0.line.hasPrefix("#") }
      .prefix { !$0.line.isEmpty && !$0.isCode }
    let words = paragraph.map { $0.line.trimmingPrefix("- ") }.joined(separator: " ").filter { $0 != "*" }
    // To the end of the first sentence. Links stay as their texts.
    return words.firstMatch(of: /^.*?[.:](?= |$)/)
      .map { String($0.output.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }.replacing(/:$/, with: ".")) }
  }

  /// The text of an article with its links as those of the site.
  private mutating func linked(_ article: Article) -> String {
    var text = ""
    var prose: [Substring] = []
    let summary = summary(of: article)
    var isBegun = false
    for (line, isCode) in Article.lines(article.text) {
      if isCode {
        text += linked(prose.map { $0 + "\n" }.joined(), in: article) + line + "\n"
        prose = []
      } else {
        // docc shows the marks of code in a heading as they are.
        prose.append(line.prefixMatch(of: /#+ +/) == nil ? line : Substring(line.filter { $0 != "`" }))
        if !isBegun, let summary { prose += ["", Substring(summary)] }
        isBegun = true
      }
    }
    return text + linked(prose.map { $0 + "\n" }.joined(), in: article)
  }

  /// Writes the articles into the catalog, without the README.
  mutating func write(to catalog: String) throws {
    for article in articles.values.sorted(by: { $0.path < $1.path }) where article.path != "README.md" {
      try linked(article).write(toFile: "\(catalog)/\(article.name).md", atomically: true, encoding: .utf8)
    }
  }

  /// Copies the pictures of all pages into the catalog.
  func copyImages(to catalog: String) throws {
    for (source, name) in images where FileManager.default.fileExists(atPath: source) {
      try FileManager.default.copyItem(atPath: source, toPath: "\(catalog)/\(name)")
    }
  }

  /// The first page: the README, then what the module Quarry says of itself, and the table of contents.
  ///
  /// - Parameter page: The page of the module in its catalogue.
  mutating func firstPage(_ page: String) -> String {
    guard let readme = articles["README.md"] else { return page }
    let introduction = linked(readme).drop { $0 != "\n" }
    let parts = page.split(separator: "## Topics", maxSplits: 1).map(String.init)
    let module = parts[0].drop { $0 != "\n" }
    return "# ``Quarry``\n\(introduction)\n## The module Quarry\n\(module)\n## Topics\n\(topics())\(parts.last ?? "")"
  }

  /// The table of contents: the pages of the guide in their order, then the other documents by folder, then the modules.
  private func topics() -> String {
    var rest = articles
    rest["README.md"] = nil
    func take(_ isChosen: (String) -> Bool) -> [Article] {
      let chosen = rest.keys.filter(isChosen).sorted()
      return chosen.compactMap { rest.removeValue(forKey: $0) }
    }
    let order = articles["docs/guide.md"]?.text ?? ""
    func place(_ article: Article) -> String.Index {
      order.range(of: "(\(article.path.dropFirst(5)))")?.lowerBound ?? order.endIndex
    }
    let first = ["docs/overview.md", "docs/guide.md"].compactMap { rest.removeValue(forKey: $0) }
    let guide = take { $0.hasPrefix("docs/guide/") }.sorted { place($0) < place($1) }
    let groups = [
      ("Guide", first + guide),
      ("Coming from", take { $0.hasPrefix("docs/coming-from/") }),
      ("Engines", take { $0.hasPrefix("docs/engines/") }),
      ("Examples", take { $0.hasPrefix("Examples/") }),
      ("File formats", take { $0.hasPrefix("docs/formats/") }),
      ("Decisions", take { $0.hasPrefix("docs/decisions/") }),
      ("Proof", take { $0.hasPrefix("docs/conformance/") || $0.hasPrefix("docs/bench") }),
      ("Reference", take { $0.hasPrefix("docs/") }),
      ("Project", take { _ in true }),
    ]
    var text = ""
    func add(_ title: String, _ links: [String]) {
      text += "\n### \(title)\n\n" + links.map { "- \($0)\n" }.joined()
    }
    let order2 = ["Guide", "Reference", "Coming from", "Engines"]
    for name in order2 + groups.map(\.0).filter({ !order2.contains($0) }) {
      guard let group = groups.first(where: { $0.0 == name }), !group.1.isEmpty else { continue }
      if name == "File formats" { add("Modules", modules.filter { $0 != "Quarry" }.map { "``/\($0)``" }) }
      add(name, group.1.map { "<doc:\($0.name)>" })
    }
    return text
  }

  /// A text of a module's documentation in which the path of an article is a link to it.
  func withArticles(_ text: String) -> String {
    text.replacing(/`((?:docs|Examples)\/[\w.\/-]+\.md)`/) { match in
      articles[String(match.output.1)].map { "[\(match.output.1)](doc:\($0.name))" } ?? String(match.output.0)
    }
  }
}

/// The symbol graphs of all modules, whose comments name symbols of other modules without their module.
struct Graphs {
  /// The modules that have a type or a function of a name, outside of all types.
  private var owners: [String: Set<String>] = [:]
  /// The paths of all symbols of a module.
  private var paths: [String: Set<String>] = [:]
  private var graphs: [(file: String, module: String, graph: [String: Any])] = []

  init(folder: String) throws {
    for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where file.hasSuffix(".json") {
      let data = try Data(contentsOf: URL(filePath: folder + "/" + file))
      guard let graph = try JSONSerialization.jsonObject(with: data) as? [String: Any] else { continue }
      let stem = file.dropLast(".symbols.json".count).split(separator: "@").map(String.init)
      graphs.append((file, stem.last ?? "", graph))
      for symbol in graph["symbols"] as? [[String: Any]] ?? [] {
        guard let path = symbol["pathComponents"] as? [String] else { continue }
        paths[stem.last ?? "", default: []].insert(path.joined(separator: "/"))
        if path.count == 1 { owners[path[0], default: []].insert(stem[0]) }
      }
    }
  }

  /// The text with the module before each symbol that only one other module has, and with absolute paths of other modules.
  ///
  /// - Parameter place: The path of the symbol whose comment this is. What it sees by a relative path stays as it is.
  func linked(_ text: String, in module: String, at place: [String] = []) -> String {
    text.replacing(/``([^`]+)``/) { match in
      let first = match.output.1.split(separator: "/").first.map(String.init) ?? ""
      if first != module, paths[first] != nil { return "``/\(match.output.1)``" }
      let isSeen = (0...place.count).contains { count in
        paths[module]?.contains((place.prefix(count) + [first]).joined(separator: "/")) == true
      }
      guard !isSeen, let owners = owners[first], owners.count == 1,
        let owner = owners.first
      else { return String(match.output.0) }
      return "``/\(owner)/\(match.output.1)``"
    }
  }

  func write(to folder: String, _ change: (String) -> String) throws {
    for (file, module, graph) in graphs {
      var graph = graph
      var symbols = graph["symbols"] as? [[String: Any]] ?? []
      for index in symbols.indices {
        guard var comment = symbols[index]["docComment"] as? [String: Any],
          let lines = comment["lines"] as? [[String: Any]]
        else { continue }
        let place = symbols[index]["pathComponents"] as? [String] ?? []
        comment["lines"] = lines.map { line in
          var line = line
          if let text = line["text"] as? String { line["text"] = change(linked(text, in: module, at: place)) }
          return line
        }
        symbols[index]["docComment"] = comment
      }
      graph["symbols"] = symbols
      try JSONSerialization.data(withJSONObject: graph).write(to: URL(filePath: folder + "/" + file))
    }
  }
}

let arguments = CommandLine.arguments
guard arguments.count > 5, let separator = arguments.firstIndex(of: "--") else {
  print("usage: site-articles GRAPHS LINKED CATALOG MODULE… -- DOCUMENT…")
  exit(64)
}
let catalog = arguments[3]
let documents = Array(arguments[(separator + 1)...])
var site = try Site(documents: documents, modules: Array(arguments[4..<separator]))
try site.write(to: catalog)
let graphs = try Graphs(folder: arguments[1])
try graphs.write(to: arguments[2]) { site.withArticles($0) }
// The pages of the modules in their catalogues.
for path in documents where path.contains(".docc/") {
  let name = (path as NSString).lastPathComponent
  let text = try String(contentsOfFile: path, encoding: .utf8)
  var linked = site.withArticles(graphs.linked(text, in: String(name.dropLast(3))))
  if name == "Quarry.md" { linked = site.firstPage(linked) }
  try linked.write(toFile: "\(catalog)/\(name)", atomically: true, encoding: .utf8)
}
try site.copyImages(to: catalog)
for line in site.broken { FileHandle.standardError.write(Data("error: \(line)\n".utf8)) }
exit(site.broken.isEmpty ? 0 : 1)
