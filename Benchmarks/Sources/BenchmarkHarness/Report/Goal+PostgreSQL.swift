// What the engine on PostgreSQL is to reach of libpq from C, on the same server.
extension Goal {
  private static let limit = "raw-libpq"
  private static let serializable = "raw-libpq-serializable"
  private static let many = "postgresql-many"

  static let postgreSQL: [Goal] =
    ["postgresql", many].flatMap { engine in
      [
        // COPY in its binary form.
        Goal("insert-bulk", engine, .over(limit), 0.8),
        // A prepared statement in a transaction, and one outside of all transactions.
        Goal("get", engine, .over(limit), 0.9),
        // With many writers a read has to be serializable.
        Goal("get-single", engine, .over(engine == many ? serializable : limit), 0.85),
        // A binary cursor.
        Goal("scan", engine, .over(limit), 0.85),
      ]
    } + [
      Goal("insert-single", "postgresql", .over(limit), 0.8),
      Goal("insert-single-8", many, .overWorkload("insert-single"), 5),
      // One prepared statement for each commit, without any order of the commits.
      Goal("insert-single-8", many, .over(serializable), 0.4),
    ]
}
