import QuarryBackend
import QuarryCore

/// Decimals as text, up to what a decimal can be.
enum DecimalLiteralCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "PRED.decimal-edges", ["PRED-6", "PRED-8"],
      "Literals at the ends of what a decimal can be, and beyond them, are compared by their values."
    ) { kit in
      let store = try kit.store(making: [
        ModelSchema(
          name: "Priced",
          properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "price", type: .decimal)],
          primaryKey: 0)
      ])
      let prices = ["-9e127", "0", "1e-128", "1", "1e127", "9e127"]
      try store.write { tx in
        let records = prices.enumerated().map { place, price in
          Record(["id": .int(Int64(place)), "price": .decimal(Samples.decimal(price))])
        }
        try tx.insertRecords(into: "Priced", records)
      }
      let zeros = String(repeating: "0", count: 127)
      for (text, keys) in [
        ("price == '1e127'", [4]), ("price == '10e126'", [4]), ("price == '0.1e128'", [4]), ("price > '1e127'", [5]),
        ("price == '-9e127'", [0]), ("price == '1e-128'", [2]), ("price < '1e-128'", [0, 1]),
        ("price IN {'1e127', '9e127'}", [4, 5]), ("price == 1\(zeros)", [4]), ("price > 1\(zeros)", [5]),
        ("price < 1\(zeros)0", [0, 1, 2, 3, 4, 5]), ("price > -1\(zeros)0", [0, 1, 2, 3, 4, 5]),
        ("price >= 10\(zeros)", []),
      ] {
        let found = try store.read { try $0.records(in: "Priced", where: text) }
        try expectEqual(found.map { $0["id"]?.integer }, keys.map { Int128($0) }, text)
      }
      for text in ["1e128", "10e127", "-1e128", "1e-129", "0.1e-128"] {
        try expectError(.invalidQuery, text) {
          try store.read { try $0.records(in: "Priced", where: "price == '\(text)'") }
        }
      }
    }
  ]
}
