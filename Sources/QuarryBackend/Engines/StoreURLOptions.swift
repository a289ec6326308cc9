/// The options of a URL, `name=value` with ampersands between them.
package struct StoreURLOptions {
  private let scheme: String
  private var values: [(name: String, value: String)] = []

  /// - Throws: `invalidValue` for an option that the kind of store does not take, or that stands twice.
  package init(_ query: String?, of engine: EngineDescription) throws(StorageError) {
    scheme = engine.scheme
    guard let query else { return }
    let known = engine.options
    for part in query.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
      let name = pair[0]
      guard known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
        throw StorageError(
          .invalidValue,
          "\(Self.quoted(name)) is not an option of \(scheme): stores; their options are \(known.joined(separator: ", ")) "
            + "(a question mark in a path is written twice)")
      }
      guard !values.contains(where: { $0.name == name }) else {
        throw StorageError(.invalidValue, "the option \(name) is given twice")
      }
      guard pair.count == 2 else {
        throw StorageError(.invalidValue, "the option \(name) needs a value: \(name)=…")
      }
      values.append((name, pair[1]))
    }
  }

  /// The value of an option; nil where it is not given.
  package func take(_ name: String) -> String? {
    values.first { $0.name == name }?.value
  }

  package func truth(_ text: String, of name: String) throws(StorageError) -> Bool {
    switch text {
    case "true": return true
    case "false": return false
    default: throw refusal(text, of: name, "true or false")
    }
  }

  /// A number from 1 on.
  package func number(_ text: String, of name: String) throws(StorageError) -> Int {
    guard let number = Self.digits(text), number > 0 else { throw refusal(text, of: name, "a number of at least 1") }
    return number
  }

  /// Seconds, from 0 on.
  package func seconds(_ text: String, of name: String) throws(StorageError) -> Double {
    guard let number = Double(text), number >= 0, number.isFinite else {
      throw refusal(text, of: name, "seconds, such as 2.5")
    }
    return number
  }

  /// A number of bytes: `65536`, `64KB`, `64MB` or `1GB`, in powers of 1024.
  package func bytes(_ text: String, of name: String) throws(StorageError) -> Int {
    let units = [("KB", 10), ("MB", 20), ("GB", 30)]
    let unit = units.first { text.hasSuffix($0.0) }
    let digits = unit == nil ? text : String(text.dropLast(2))
    guard let number = Self.digits(digits), number > 0 else { throw refusal(text, of: name, "bytes, such as 64MB") }
    let (bytes, isTooMuch) = number.multipliedReportingOverflow(by: 1 << (unit?.1 ?? 0))
    guard !isTooMuch else { throw refusal(text, of: name, "bytes, such as 64MB") }
    return bytes
  }

  package func refusal(_ text: String, of name: String, _ wanted: String) -> StorageError {
    StorageError(.invalidValue, "the option \(name) of \(scheme): is \(Self.quoted(text)) and must be \(wanted)")
  }

  /// The beginning of a text in quotes, for messages.
  package static func quoted(_ text: String) -> String { "\"\(text.shortened)\"" }

  /// Digits and nothing else, which `Int` alone would not ask for.
  private static func digits(_ text: String) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}

/// The options for opening that a URL sets.
package struct OpenOptionChanges: Sendable {
  static let names = ["readOnly", "create", "durability", "timeout", "history", "memory"]

  private var isReadOnly: Bool?
  private var createsIfMissing: Bool?
  private var durability: BackendManifest.Durability?
  private var busyTimeout: Double?
  private var history: HistoryOption?
  private var workingMemory: Int?

  init(_ options: StoreURLOptions) throws(StorageError) {
    if let text = options.take("readOnly") { isReadOnly = try options.truth(text, of: "readOnly") }
    if let text = options.take("create") { createsIfMissing = try options.truth(text, of: "create") }
    if let text = options.take("timeout") { busyTimeout = try options.seconds(text, of: "timeout") }
    if let text = options.take("memory") { workingMemory = try options.bytes(text, of: "memory") }
    if let text = options.take("history") { history = try Self.history(text, options) }
    if let text = options.take("durability") {
      guard let durability = BackendManifest.Durability(rawValue: text) else {
        throw options.refusal(text, of: "durability", "none, processCrash or powerLoss")
      }
      self.durability = durability
    }
  }

  package func applied(to options: OpenOptions) -> OpenOptions {
    var options = options
    if let isReadOnly { options.isReadOnly = isReadOnly }
    if let createsIfMissing { options.createsIfMissing = createsIfMissing }
    if let durability { options.durability = durability }
    if let busyTimeout { options.busyTimeout = busyTimeout }
    if let history { options.history = history }
    if let workingMemory { options.workingMemory = workingMemory }
    return options
  }

  /// The bounds of a history: an age, a size, or both with a comma between them; `off` for none.
  private static func history(_ text: String, _ options: StoreURLOptions) throws(StorageError) -> HistoryOption {
    if text == "off" { return .off }
    var age: HistoryAge?
    var bytes: Int?
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let digits = part.dropLast()
      if let number = Int(digits), number > 0, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), age == nil,
        let unit = part.last, "dh".contains(unit)
      {
        age = unit == "d" ? .days(number) : .hours(number)
      } else if let number = try? options.bytes(String(part), of: "history"), bytes == nil {
        bytes = number
      } else {
        throw options.refusal(text, of: "history", "off, an age such as 30d or 12h, bytes such as 64MB, or 30d,64MB")
      }
    }
    return .on(keeping: age ?? (bytes == nil ? .days(30) : .forever), bytes: bytes ?? 64 << 20)
  }
}
