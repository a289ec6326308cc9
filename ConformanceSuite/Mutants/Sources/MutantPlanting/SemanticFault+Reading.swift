extension SemanticFault {
  /// What is wrong with the list of an area, or with an entry.
  public struct Defect: Error, Equatable, CustomStringConvertible {
    public let description: String
  }

  /// Reads the list of an area.
  public static func read(_ list: String, area: String) throws(Defect) -> [SemanticFault] {
    var faults: [SemanticFault] = []
    var field = ""
    for (number, line) in list.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.isEmpty || line.hasPrefix("#") { continue }
      let place = "\(area).txt:\(number + 1)"
      if line.hasPrefix("|") {
        let more = line.hasPrefix("| ") ? line.dropFirst(2) : line.dropFirst()
        guard var fault = faults.popLast(), fault.continueField(field, String(more)) else {
          throw Defect(description: "\(place): continues neither a text nor a replacement")
        }
        faults.append(fault)
        continue
      }
      guard let colon = line.firstIndex(of: ":") else {
        throw Defect(description: "\(place): has no field")
      }
      field = String(line[..<colon])
      var value = line[line.index(after: colon)...]
      if value.hasPrefix(" ") { value = value.dropFirst() }
      if field == "fault" {
        faults.append(SemanticFault(id: String(value), area: area))
        continue
      }
      guard var fault = faults.popLast(), fault.set(field, String(value)) else {
        throw Defect(description: "\(place): \(field) is no field of a fault")
      }
      faults.append(fault)
    }
    return faults
  }

  private init(id: String, area: String) {
    self.id = id
    self.area = area
  }

  private mutating func set(_ field: String, _ value: String) -> Bool {
    switch field {
    case "file": file = value
    case "text": text = value
    case "with": replacement = value
    case "breaks": (clauses, breaks) = Self.clauses(value)
    case "engines": engines = value.split { $0 == "," || $0 == " " }.map(String.init)
    case "missed": missed = value
    case "listed": isListed = value == "yes"
    default: return false
    }
    return true
  }

  private mutating func continueField(_ field: String, _ more: String) -> Bool {
    switch field {
    case "text": text += text.isEmpty ? more : "\n" + more
    case "with": replacement += replacement.isEmpty ? more : "\n" + more
    default: return false
    }
    return true
  }

  /// The clauses at the beginning, and the rest.
  private static func clauses(_ value: String) -> ([String], String) {
    var clauses: [String] = []
    var rest = value[...]
    while let word = rest.split(separator: " ", maxSplits: 1).first {
      let name = word.hasSuffix(",") ? word.dropLast() : word
      guard name.wholeMatch(of: /[A-Z]+-[0-9]+/) != nil else { break }
      clauses.append(String(name))
      rest = rest.dropFirst(word.count).drop { $0 == " " }
      if !word.hasSuffix(",") { break }
    }
    return (clauses, String(rest))
  }

  /// What keeps the faults from being planted.
  ///
  /// - Parameters:
  ///   - sources: The files of the package, by their paths from its root.
  ///   - contract: The text of the contract, which must have the clauses.
  public static func defects(_ faults: [SemanticFault], sources: [String: String], contract: String) -> [Defect] {
    var defects: [Defect] = []
    var names: Set<String> = []
    var taken: [String: [(range: Range<Int>, id: String)]] = [:]
    for fault in faults {
      func say(_ text: String) { defects.append(Defect(description: "\(fault.area) \(fault.id): \(text)")) }
      if fault.id.wholeMatch(of: /[a-z0-9-]+/) == nil { say("a name has small letters, digits and hyphens") }
      if !names.insert(fault.id).inserted { say("the name is taken") }
      if !fault.replacement.contains(condition) { say("the replacement has no \(condition)") }
      if fault.clauses.isEmpty { say("breaks no clause") }
      if fault.breaks.isEmpty { say("does not say what it breaks") }
      for clause in fault.clauses where !contract.contains("**\(clause)**") { say("the contract has no \(clause)") }
      guard let source = sources[fault.file], fault.file.hasPrefix("Sources/") else {
        say("there is no file \(fault.file) in Sources")
        continue
      }
      guard let range = fault.mutant(in: source)?.range else {
        let count = SemanticFault.places(of: Array(fault.text.utf8), in: Array(source.utf8)).count
        say("its text occurs \(count) times in \(fault.file), not once")
        continue
      }
      for other in taken[fault.file, default: []] where other.range.overlaps(range) {
        say("its text and that of \(other.id) overlap")
      }
      taken[fault.file, default: []].append((range, fault.id))
    }
    return defects
  }
}
