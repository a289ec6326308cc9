/// Names of Swift for names of tables and columns.
enum Naming {
  /// `book_author` as `BookAuthor`.
  static func typeName(_ name: String) -> String {
    let words = words(name)
    let joined = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    return begun(joined, "Model")
  }

  /// `PublishedOn` and `published_on` as `publishedOn`, `ID` as `id`.
  static func memberName(_ name: String) -> String {
    let words = words(name)
    guard let first = words.first else { return "value" }
    let isAllCapital = first.allSatisfy { $0.isUppercase || $0.isNumber }
    let head = isAllCapital ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
    return begun(head + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(), "value")
  }

  private static func words(_ name: String) -> [String] {
    name.split { !($0.isLetter && $0.isASCII || $0.isNumber && $0.isASCII) }.map(String.init)
  }

  /// The name, with a beginning where it is empty or begins with a digit. It has at most 55 bytes, so that a number fits behind it.
  private static func begun(_ name: String, _ beginning: String) -> String {
    guard let first = name.first else { return beginning }
    return String((first.isNumber ? beginning + name : name).prefix(55))
  }

  /// The name, with a number behind it where another differs from it in the case of letters alone or not at all.
  static func free(_ name: String, _ taken: [String]) -> String {
    var result = name
    var number = 2
    while taken.contains(where: { ForeignTable.isSame($0, result) }) {
      result = "\(name)\(number)"
      number += 1
    }
    return result
  }
}
