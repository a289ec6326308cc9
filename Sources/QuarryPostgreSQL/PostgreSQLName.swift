#if PostgreSQL
  /// The names that are used in SQL.
  enum PostgreSQLName {
    /// The column with the value trees of a row that have no exact JSON form.
    static let exact = "_quarry_exact"

    /// The bytes of a name that the server keeps; it cuts longer ones in silence.
    static let mostBytes = 63

    /// Puts a name in quotes, so that it is a name whatever is in it.
    static func quoted(_ name: String) -> String {
      var result = "\""
      for scalar in name.unicodeScalars {
        if scalar == "\"" { result += "\"\"" } else { result.unicodeScalars.append(scalar) }
      }
      return result + "\""
    }

    /// The column of a property. The server keeps some names for columns of its own.
    static func column(of property: String) -> String {
      let isTaken = ["xmin", "xmax", "cmin", "cmax", "ctid", "tableoid"].contains(property)
      return isTaken ? "_quarry_column_\(property)" : property
    }

    /// The index with that number, which is unique in its store: no name of a model can be in its way.
    static func index(_ id: UInt32) -> String { "_quarry_index_\(id)" }

    /// The constraint that makes a model's key its primary key.
    static func key(_ model: UInt32) -> String { "_quarry_key_\(model)" }

    /// A text as a constant in a statement.
    ///
    /// A server's setting decides what a backslash means in quotes, unless E stands before them.
    static func literal(_ text: String) -> String {
      var result = text.unicodeScalars.contains("\\") ? "E'" : "'"
      for scalar in text.unicodeScalars {
        switch scalar {
        case "'": result += "''"
        case "\\": result += "\\\\"
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result + "'"
    }
  }
#endif
