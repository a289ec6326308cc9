import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryData

/// The model that a command is about.
struct ModelArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The name of the model; may be left out where the store has only one.", valueName: "model"))
  var name: String?

  /// The name of the model in the store.
  ///
  /// - Throws: `ValidationError` where no name was given and the store has no model, or several.
  func name(in store: Store) throws -> String { try Self.resolve(name, in: store) }

  /// The given name, or the name of the only model.
  static func resolve(_ name: String?, in store: Store) throws -> String {
    if let name { return name }
    let names = try store.models().map(\.name)
    if names.count == 1 { return names[0] }
    guard !names.isEmpty else { throw ValidationError("the store has no models") }
    let list = names.prefix(20).map(\.escapedForDisplay).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
    throw ValidationError("the store has \(names.count) models, so the command needs the name of one: \(list)")
  }
}

/// The objects that a command concerns.
struct WhereOption: ParsableArguments {
  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("A condition such as \"elevation > 3000 AND name CONTAINS 'Field'\".", valueName: "condition"))
  var condition: String?
}

/// The objects that a command changes: they have to be given explicitly.
struct RequiredWhereOption: ParsableArguments {
  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("The condition; TRUEPREDICATE selects all objects.", valueName: "condition"))
  var condition: String
}

/// The objects, their order, and their columns.
struct QueryOptions: ParsableArguments {
  @OptionGroup var filter: WhereOption

  // The value may begin with a minus sign.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Columns to sort by; a minus sign precedes a descending column.", valueName: "-a,b"))
  var sort: String?

  @Option(help: "The maximum number of objects.")
  var limit: Int?

  @Option(help: "The number of objects to skip.")
  var offset = 0

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is negative") }
    if offset < 0 { throw ValidationError("--offset is negative") }
  }
}

/// The columns that are printed.
struct ColumnsOption: ParsableArguments {
  @Option(help: ArgumentHelp("Columns to print; all by default.", valueName: "a,b"))
  var columns: String?

  /// - Throws: `ValidationError` for an empty name.
  var names: [String]? {
    columns.map { $0.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingSpaces } }
  }

  func validate() throws {
    if let names, names.contains("") { throw ValidationError("--columns has an empty name") }
  }
}

/// The references whose objects are printed, too.
struct WithOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "References whose objects are printed too, such as author,author.country.", valueName: "a,b"))
  var with: String?

  var names: [String] {
    with.map { $0.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingSpaces } } ?? []
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
