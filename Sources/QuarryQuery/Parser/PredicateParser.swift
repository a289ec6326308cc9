public import QuarryBackend

/// Parses predicates written as text, in the language that NSPredicate made known.
///
/// An example is `year BETWEEN {1970, 1979} AND title BEGINSWITH[c] 'the' AND ANY tags IN {'a', 'b'}`.
///
/// - Comparisons `==` `=` `!=` `<>` `<` `<=` `=<` `>` `>=` `=>`, `BETWEEN {a, b}`, `IN {…}`; `value IN array`.
/// - Arithmetic `+`, `-`, `*`, `/`, `%` of numbers, with parentheses: `price * quantity > 100`, `id % 2 == 0`.
/// - Texts `CONTAINS`, `BEGINSWITH`, `ENDSWITH`, `LIKE`, `MATCHES`, `==`, `!=`, each with `[c]`, `[d]`, `[cd]`.
/// - `AND` `&&`, `OR` `||`, `NOT` `!`, parentheses, `TRUEPREDICATE`, `FALSEPREDICATE`.
/// - Constants: `TRUE` `YES`, `FALSE` `NO`, `nil` `NULL` `<null>`; integers. `0.1`, an exact decimal that represents the nearest
///   number of a Float or Double; `1e-1`, a Double. Strings in either quotes with the escapes
///   `\n \t \r \0 \\ \' \" \u{…} \uXXXX`. Lists `{1, 2}`; nested values `{'a': 1}`. `%@` for an argument, `%d` for an integer and
///   `%f` for a number. `date '2024-01-01T00:00:00Z'`, `uuid '…'`, `data 'base64'`, `url '…'`, `decimal '…'`, `double '…'`,
///   `float '…'` where the property does not already say which type a string has.
/// - Properties: `title`; `address.city` into nested values; `tags.@count`, which counts the characters of a string and the bytes
///   of data. A name in backquotes, or `#in`, for names with spaces or that are keywords; `%K` for an argument. `SELF` is the
///   element inside ANY and ALL, and elsewhere the object: `SELF.title`.
/// - `ANY` (`SOME`), `ALL`, `NONE` before a comparison, whose path begins with the array: `ANY tags == 'x'`,
///   `ANY authors.name == 'x'`; or before an array and a condition on its element:
///   `ANY authors (SELF.name == 'x' AND SELF.born > 1900)`.
///
/// Keywords are read in capital and small letters.
public enum PredicateParser {
  /// Reads a predicate.
  ///
  /// - Parameter arguments: The values of `%@` and, as strings, the paths of `%K`, in their order.
  /// - Throws: `invalidQuery` with the column where the text cannot be read, and the text that was expected there.
  ///   `limitExceeded` for a predicate that is too long or too deep. `unsupported` for subqueries.
  public static func parse(_ text: String, arguments: [Value] = []) throws(StorageError) -> PredicateTree {
    var reader = try PredicateReader(text, arguments)
    return try reader.predicate()
  }
}

/// Reads orders that are written as `-year,title`: names with a minus for descending.
public enum SortParser {
  /// Reads an order; an empty text is none.
  ///
  /// - Parameter text: Names with commas between them, each with a minus for descending: `-year,title`.
  /// - Throws: `invalidQuery` with the column where the text cannot be read.
  public static func parse(_ text: String) throws(StorageError) -> [QueryTree.SortKey] {
    var reader = try PredicateReader(text, [])
    return try reader.order()
  }
}

/// Reads assignments that are written as `title = 'x', year = year + 1, pages -= 2, note = nil`.
public enum AssignmentParser {
  /// Reads one or more assignments.
  ///
  /// - Parameter arguments: The values of `%@` and the names of `%K`, in their order.
  /// - Throws: `invalidQuery` with the column where the text cannot be read.
  public static func parse(_ text: String, arguments: [Value] = []) throws(StorageError) -> [AssignmentTree] {
    var reader = try PredicateReader(text, arguments)
    return try reader.assignments()
  }
}
