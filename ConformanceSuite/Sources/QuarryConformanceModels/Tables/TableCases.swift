import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryData
import QuarryDump
import QuarryQuery

/// What is found in a file: types, delimiters, encodings, keys.
enum TableCases {
  static let all: [ConformanceCase] = types + forms + keys

  private static let types: [ConformanceCase] = [
    .table("codes", ["DATA-5"], "Codes that look like numbers keep their text, and so do their keys.") { table in
      try table.imported(
        """
        version,part,zip,price,whole,tiny,amount
        1.10,32E0134,007,0.50,1,1e-05,1
        1.100,12,12,2.25,2.0,0.00001,2.5

        """
      ) { $0.key = .column("version") }
      try expectEqual(
        try table.types(),
        ["version string", "part string", "zip string", "price string", "whole string", "tiny string", "amount double"])
      try expectEqual(
        try table.rows(),
        [
          [
            .string("1.10"), .string("32E0134"), .string("007"), .string("0.50"), .string("1"), .string("1e-05"),
            .double(1),
          ],
          [
            .string("1.100"), .string("12"), .string("12"), .string("2.25"), .string("2.0"), .string("0.00001"),
            .double(2.5),
          ],
        ])
    },
    .table("numbers", ["DATA-5"], "A column is of the first type that gives back the text of every cell.") { table in
      let columns: [(cells: [String], type: String)] = [
        (["1", "-2", "9223372036854775807"], "int64"), (["0", "18446744073709551615"], "uint64"),
        (["-1", "18446744073709551615"], "decimal"), (["1", "2.5"], "double"), (["1.0", "2.5"], "double"),
        (["-0", "1.5"], "double"), (["0.00001"], "double"), (["1e-05", "1e+20"], "double"),
        (["0.1234567890123456"], "double"),
        (["0.12345678901234567"], "decimal"), (["12345678901234567890123456789.5"], "decimal"),
        (["9007199254740993", "2.5"], "decimal"), (["NaN", "1.5"], "double"), (["1e5"], "string"), ([".5"], "string"),
        (["+1"], "string"), (["1.50"], "string"), (["00.5"], "string"), (["-00"], "string"), (["1e-5"], "string"),
        (["1E+20"], "string"), (["1", "1.0"], "string"), (["2.0", "1"], "string"), (["2.0", "1", "3"], "string"),
        (["1", "2", "2.0"], "string"), (["-1.0", "-2", "-3"], "string"), (["2.0", "1", "1.5"], "string"),
        (["1e400"], "string"),
        ([String(repeating: "9", count: 40)], "string"), (["1_000"], "string"), (["0x10"], "string"),
      ]
      let rows = columns.map(\.cells.count).max() ?? 0
      var lines = [columns.indices.map { "c\($0)" }]
      for row in 0..<rows { lines.append(columns.map { $0.cells.count > row ? $0.cells[row] : $0.cells[0] }) }
      try table.imported(lines.map { $0.joined(separator: ",") + "\n" }.joined()) { $0.key = .counted("n") }
      try expectEqual(
        Array(try table.types().dropFirst()),
        zip(columns.indices, columns).map { "c\($0) \($1.type)" })
    },
    .table("said-types", ["DATA-6"], "The type that is said of a column holds, and its cells have to be of it.") {
      table in
      func said(_ import: inout TableImport) {
        `import`.key = .column("id")
        `import`.data.types = [
          .init(name: "id", type: .string), .init(name: "zip", type: .int32, isOptional: true),
          .init(name: "price", type: .decimal),
        ]
      }
      try table.imported("id,zip,price\n1,007,1.50\n1.0,+12,-002\n", .csv, said)
      try expectEqual(try table.types(), ["id string", "zip int32?", "price decimal"])
      try expectEqual(
        try table.rows(),
        [
          [.string("1"), .int(7), .decimal(Decimal(3) / 2)], [.string("1.0"), .int(12), .decimal(-2)],
        ])
      let error = try expectError(.invalidValue, "x is no number") {
        try table.imported("id,zip,price\n2,x,1\n", .csv, said)
      }
      try expect(error.message.hasPrefix("line 2, column 2"), error.message)
      try expectError(.schemaMismatch, "another type than that of the model") {
        try table.imported("id,zip,price\n2,3,1\n") { $0.data.types = [.init(name: "zip", type: .string)] }
      }
      try expectError(.invalidQuery, "no such column") {
        try TableStore(table.kit).imported("id\n2\n") { $0.data.types = [.init(name: "ID", type: .string)] }
      }
    },
    .table("nil", ["DATA-7"], "An empty cell is nil, as is a text that stands for it, unless in quotes.") { table in
      try table.imported("id,a,b\n1,,\"\"\n2,NA,NA\n3,\"NA\",x\n4,5,\\N\n") {
        $0.key = .column("id")
        $0.data.nullTexts = ["NA", "\\N"]
      }
      try expectEqual(try table.types(), ["id int64", "a string?", "b string?"])
      try expectEqual(
        try table.rows().map { Array($0.dropFirst()) },
        [[.null, .string("")], [.null, .null], [.string("NA"), .string("x")], [.string("5"), .null]])
    },
  ]

  private static let forms: [ConformanceCase] = [
    .table("delimiters", ["DATA-3"], "The delimiter is found in the header and the rows, or said.") { table in
      let texts: [(text: String, said: UInt8?, columns: [String])] = [
        ("a;b;c\n1,5;2;x\n", nil, ["a", "b", "c"]), ("a\tb\n1\t2,5\n", nil, ["a", "b"]),
        ("a|b\n1|2\n", nil, ["a", "b"]), ("\"a;b\",c\n1,2\n", nil, ["a;b", "c"]),
        ("a,b;c\n1,2;3\n", nil, ["a", "b;c"]), ("a;b,c;d\n1;2,3;4\n", nil, ["a", "b,c", "d"]),
        ("a;b;c,d\n1;2,3\n", nil, ["a;b;c", "d"]), ("a\n1;2\n", nil, ["a"]),
        ("a;b,c\n1;2,3\n", UInt8(ascii: ";"), ["a", "b,c"]), ("a^b\n1^2\n", UInt8(ascii: "^"), ["a", "b"]),
      ]
      for (text, said, columns) in texts {
        let one = try TableStore(table.kit)
        try one.imported(text) {
          $0.data.delimiter = said
          $0.key = .counted("n")
        }
        try expectEqual(
          Array(try one.types().dropFirst()).map { $0.split(separator: " ")[0] }, columns.map { $0[...] }, text)
      }
    },
    .table("encodings", ["DATA-4"], "The encoding is found by mark, zeros or bytes, or said.") { table in
      func utf16(_ text: String, isBig: Bool, mark: Bool) -> [UInt8] {
        ((mark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
          isBig ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
      }
      let text = "id,é\n1,x😀\n2,ÿ\n"
      let latin: [UInt8] = Array("id,".utf8) + [0xE9] + Array("\n1,".utf8) + [0xFF] + Array("\n".utf8)
      let windows: [UInt8] = Array("id,a\n1,".utf8) + [0x80, 0x9C] + Array("\n".utf8)
      let files: [(bytes: [UInt8], said: TextEncoding?, column: String, value: String)] = [
        ([0xEF, 0xBB, 0xBF] + Array(text.utf8), nil, "é", "x😀"), (Array(text.utf8), nil, "é", "x😀"),
        (utf16(text, isBig: false, mark: true), nil, "é", "x😀"), (utf16(text, isBig: true, mark: true), nil, "é", "x😀"),
        (utf16(text, isBig: false, mark: false), nil, "é", "x😀"),
        (utf16(text, isBig: true, mark: false), nil, "é", "x😀"),
        (latin, nil, "é", "ÿ"), (windows, nil, "a", "€œ"), (latin, .latin1, "é", "ÿ"),
        (Array("id,é\n1,x\n".utf8), .latin1, "Ã©", "x"),
      ]
      for (number, file) in files.enumerated() {
        let one = try TableStore(table.kit)
        try one.imported(bytes: file.bytes) {
          $0.data.encoding = file.said
          $0.key = .column("id")
        }
        try expectEqual(try one.types().last, "\(file.column) string", "file \(number)")
        try expectEqual(try one.rows().first?.last, .string(file.value), "file \(number)")
      }
      // One character of UTF-8 is enough for the bytes that are none to be wrong, whatever the order.
      let mixed: [UInt8] = Array("id\n1é\n".utf8) + [0x32, 0xE9] + Array("\n".utf8)
      let otherwise: [UInt8] = Array("id\n2".utf8) + [0xE9] + Array("\n1é\n".utf8)
      let wrong: [([UInt8], TextEncoding?)] = [
        (latin, .utf8), (Array("é\n".utf8) + latin, nil), (mixed, nil), (otherwise, nil),
        ([0xFF, 0xFE, 0x61, 0, 0, 0xD8, 0x61, 0], nil),
        ([0xFF, 0xFE, 0x61], nil), ([0x61, 0x0A, 0x81, 0x0A], .windows1252),
      ]
      for (number, file) in wrong.enumerated() {
        try expectError(.invalidValue, "wrong file \(number)") {
          try TableStore(table.kit).imported(bytes: file.0) { $0.data.encoding = file.1 }
        }
      }
    },
    .table("json", ["DATA-9", "DATA-5"], "An array of objects over many lines is rows, as objects on lines are.") {
      table in
      let array = "\n[ {\"id\": 1, \"a\": [1,\n 2], \"s\": \"],{\\\"\"},\n{\"id\":2,\"v\":1.10}\n] \n"
      try table.imported(array, .json) { $0.key = .column("id") }
      try expectEqual(try table.types(), ["id int64", "a [int64]?", "s string?", "v double?"])
      try expectEqual(
        try table.rows(),
        [
          [.int(1), .array([.int(1), .int(2)]), .string("],{\""), .null], [.int(2), .null, .null, .double(1.1)],
        ])
      let lines = try TableStore(table.kit)
      try lines.imported("{\"id\":1}\n\n{\"id\":2}\n", .json) { $0.key = .column("id") }
      try expectEqual(try lines.rows(), [[.int(1)], [.int(2)]])
      let wrong: [(text: String, place: String)] = [
        ("[{\"id\":1}\n{\"id\":2}]", "line 2"), ("[{\"id\":1},\n]", "line 2"), ("[{\"id\":1}", "line 1"),
        ("[\n1]", "line 2"), ("[{\"id\":1}] x", "line 1"), ("[{\"id\":1},{\n\"id\":}]", "line 2, byte 6"),
        ("[{\"id\":1},\n{\"id\":1}]", "line 2"),
      ]
      for (text, place) in wrong {
        let one = try TableStore(table.kit)
        do {
          try one.imported(text, .json) { $0.key = .column("id") }
          throw ConformanceFailure(message: "\(text) was imported", file: #fileID, line: #line)
        } catch let error as StorageError {
          try expect(error.message.hasPrefix(place), "\(text): \(error.message)")
        }
        try expectEqual(try one.store.models().count, 0, text)
      }
    },
    .table("standard-input", ["DATA-11"], "Standard input is kept, so that it can be read more than once.") { table in
      try CopyScene.inFolder { path in
        try Data("a;b\n1;x\n2;y\n".utf8).write(to: URL(fileURLWithPath: path))
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        let input = try SpooledInput(reading: handle.fileDescriptor)
        try FileManager.default.removeItem(atPath: path)
        try expectEqual(try DataFile.format(of: input), .csv)
        try expectEqual(try TableImport(data: DataFile(input, format: .csv), model: "T").run(in: table.store).rows, 2)
      }
      try expectEqual(try table.rows(), [[.int(1), .string("x")], [.int(2), .string("y")]])
    },
  ]

  private static let keys: [ConformanceCase] = [
    .table("keys", ["DATA-8", "DATA-10"], "Without a key a column that is unique is one, or else the row's number.") {
      table in
      let texts: [(text: String, key: String, notes: Int)] = [
        ("a,b\nx,1\nx,2\n", "b", 1), ("a,id\n1,x\n2,y\n", "id", 1), ("a,b\n1,x\n2,y\n", "a", 1),
        ("a,b\n1,x\n1,x\n", "id", 1), ("id,b\n1,x\n1,x\n", "row", 1), ("ID,row\n,1\n2,1\n", "row_number", 1),
        ("a,b\n0.5,true\n1.5,false\n", "id", 1), ("a;b\n1;x\n2;y\n", "a", 2),
      ]
      for (text, key, notes) in texts {
        let one = try TableStore(table.kit)
        let report = try one.imported(text)
        try expectEqual(try one.key(), key, text)
        try expectEqual(report.notes.count, notes, text)
        try expectEqual(report.rows, 2, text)
      }
      let quiet = try TableStore(table.kit).imported("a,b\n1,x\n") { $0.key = .column("a") }
      try expectEqual(quiet.notes, [], "nothing was found that was not said")
      let reason = try TableStore(table.kit).imported("a,b\n1,x\n2,1.10\n3,1.10\n") { $0.key = .column("a") }
      try expectEqual(reason.notes, [], "b has other texts than numbers")
      let number = try TableStore(table.kit).imported("a,b\n1,2\n2,1.10\n") { $0.key = .column("a") }
      try expect(number.notes.count == 1 && number.notes[0].contains("\"1.10\" in line 3"), "\(number.notes)")
    },
    .table("counted-keys", ["DATA-8"], "Counted keys begin at 1, and continue behind those that are there.") { table in
      try table.imported("a\nx\nx\n") { $0.key = .counted("n") }
      try table.imported("a\ny\n") { $0.key = .counted("n") }
      try expectEqual(
        try table.rows(), [[.int(1), .string("x")], [.int(2), .string("x")], [.int(3), .string("y")]])
      try expectError(.schemaMismatch, "a file without the key") { try table.imported("a\nz\n") }
      try expectError(.schemaMismatch, "another name") { try table.imported("a\nz\n") { $0.key = .counted("m") } }
      try expectError(.invalidQuery, "a column of the name") {
        try table.imported("a,n\nz,7\n") { $0.key = .counted("n") }
      }
      try table.imported("a,n\nz,\(Int64.max)\n")
      try expectError(.limitExceeded, "no number is left") { try table.imported("a\nz\n") { $0.key = .counted("n") } }
      try expectEqual(try table.rows().count, 4)
    },
  ]
}
