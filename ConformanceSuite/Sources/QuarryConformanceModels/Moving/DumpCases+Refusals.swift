import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDump
import QuarryQuery

extension DumpCases {
  // MARK: Dumps that are not whole

  static let refusals: [ConformanceCase] = [
    restore("cut", ["MOVE-7"], "A dump that was cut is refused with the line, wherever it was.") { moving in
      let lines = try small(moving)
      for count in lines.indices {
        let words = count == 0 ? "line 1: " : "line \(count + 1): "
        try expectRefusal(moving, lines[..<count].joined(), .corrupt, words)
        let half = lines[count].prefix(lines[count].count / 2)
        try expectRefusal(moving, lines[..<count].joined() + half, .corrupt, "line \(count + 1): ")
      }
      try expectRefusal(moving, String(lines.joined().dropLast()), .corrupt, "line \(lines.count): ")
    },
    restore(
      "flipped", ["MOVE-7"], "A dump in which one bit was changed is refused.", without: ConformanceVariant.allButFresh,
      // Some hundred stores are created, each on a server by several commits.
      within: .seconds(60)
    ) { moving in
      let bytes = Array(try small(moving).joined().utf8)
      var random = moving.kit.random(0xF11B)
      for place in bytes.indices where place % 5 == Int.random(in: 0..<5, using: &random) {
        var flipped = bytes
        flipped[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        let target = try moving.kit.makePlace()
        do {
          try StoreDump.restore(bytes: flipped, to: target)
          throw ConformanceFailure(message: "bit flipped at \(place), and restored", file: #fileID, line: #line)
        } catch let error as StorageError {
          try expect([.corrupt, .schemaTooNew].contains(error.code), "byte \(place): \(error)")
        }
      }
    },
    restore(
      "edited", ["MOVE-7"], "A dump of which a line was changed, left out, doubled or moved is refused with the lines."
    ) {
      moving in
      let lines = try small(moving)
      func with(_ change: (inout [String]) -> Void) -> String {
        var copy = lines
        change(&copy)
        return copy.joined()
      }
      try expectRefusal(moving, with { $0[4] = "[2,\"t5\",2]\n" }, .corrupt, "lines 1 to 7: ")
      try expectRefusal(moving, with { $0.remove(at: 4) }, .corrupt, "lines 1 to 6: ")
      try expectRefusal(moving, with { $0.insert($0[4], at: 4) }, .corrupt, "lines 1 to 8: ")
      try expectRefusal(moving, with { $0.swapAt(3, 4) }, .corrupt, "lines 1 to 7: ")
      try expectRefusal(moving, with { $0.remove(at: 1) }, .corrupt, "lines 1 to 6: ")
      try expectRefusal(moving, with { $0.remove(at: 6) }, .corrupt, "line 7: ")
      try expectRefusal(moving, with { $0[3] = "[1,\"t1\",1] \n" }, .corrupt, "lines 1 to 7: ")
      try expectRefusal(
        moving, with { $0[7] = $0[7].replacing("\"rows\":3", with: "\"rows\":4") }, .corrupt, "line 8: ")
      try expectRefusal(moving, with { $0.append("[4,\"t4\",4]\n") }, .corrupt, "line 9: ")
      try expectRefusal(moving, lines.joined().replacing("\n", with: "\r\n"), .corrupt, "lines 1 to 7: ")
    },
    restore("no-dump", ["MOVE-7"], "A text that is no dump is refused.") { moving in
      for text in [
        "", "\n", "{}\n", "[]\n", "id,title\n1,a\n", "{\"quarry\":\"dump\"}\n",
        "\u{FEFF}" + (try small(moving).joined()),
      ] {
        try expectRefusal(moving, text, .corrupt, "line 1: ")
      }
      try expectRefusal(moving, "{\"quarry\":\"dump\",\"format\":1,\"more\":2}\n", .corrupt, "line 1: ")
    },
    restore("newer", ["MOVE-7"], "A dump of a newer format is schemaTooNew.") { moving in
      try expectRefusal(moving, "{\"quarry\":\"dump\",\"format\":9,\"more\":true}\n", .schemaTooNew, "line 1: ")
    },
    restore("no-file", ["MOVE-7"], "A file that is not there is notFound, a folder io; nothing is made.") { moving in
      let place = try moving.kit.makePlace()
      try CopyScene.inFolder { path in
        try expectError(.notFound) { try Store.restore(path, to: place) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try expectError(.io) { try Store.restore(path, to: place) }
      }
      try expectError(.notFound) { try moving.made(at: place) }
    },
    restore("cancelled", ["MOVE-7"], "Restoring that is cancelled leaves the place as it was.") { moving in
      let dumped = try small(moving).joined()
      let place = try moving.kit.makePlace()
      let progress = Progress(totalUnitCount: -1)
      progress.cancel()
      try CopyScene.inFolder { path in
        try Data(dumped.utf8).write(to: URL(fileURLWithPath: path))
        try expectThrows(CancellationError.self) { try Store.restore(path, to: place, progress: progress) }
        try expectError(.notFound) { try moving.made(at: place) }
        let second = Progress(totalUnitCount: -1)
        try Store.restore(path, to: place, progress: second)
        try expectEqual(second.totalUnitCount, Int64(dumped.utf8.count))
        try expectEqual(second.completedUnitCount, second.totalUnitCount)
      }
      try expectEqual(try moving.made(at: place).records.fetch(in: "Book").count, 3)
    },
  ]

  // MARK: Dumps with right checksums that no store has

  /// The lines with checksums put where `?` stands.
  private static func signed(_ lines: [String]) throws -> String {
    var text = ""
    for line in lines {
      text += line.contains("?") ? line.replacing("?", with: try DumpChecksum.text(of: Array(text.utf8))) : line
      text += "\n"
    }
    return text
  }

  private static let header = "{\"quarry\":\"dump\",\"format\":1}"
  static let model =
    "{\"model\":\"M\",\"key\":\"id\",\"properties\":[{\"name\":\"id\",\"type\":\"int64\"},{\"name\":\"v\",\"type\":\"string\"}],"
    + "\"indexes\":[{\"name\":\"v\",\"columns\":[{\"name\":\"v\"}],\"unique\":true}]}"

  static let forged: [ConformanceCase] = [
    restore("forged-rows", ["MOVE-7"], "Rows that no store has are refused with the line, whatever the checksums say.")
    { moving in
      func expect(_ rows: [String], _ code: StorageError.Code, _ words: String) throws {
        let lines =
          [header, model] + rows + [
            "{\"rows\":\(rows.count),\"sha256\":\"?\"}",
            "{\"end\":true,\"models\":1,\"rows\":\(rows.count),\"sha256\":\"?\"}",
          ]
        try expectRefusal(moving, try signed(lines), code, words)
      }
      let place = try moving.kit.makePlace()
      try StoreDump.restore(
        try signed([
          header, model, "[1,\"a\"]", "{\"rows\":1,\"sha256\":\"?\"}",
          "{\"end\":true,\"models\":1,\"rows\":1,\"sha256\":\"?\"}",
        ]), to: place)
      try expectEqual(try moving.made(at: place).records.fetch(in: "M"), [Record(["id": .int(1), "v": .string("a")])])
      try expect(["[1]"], .corrupt, "line 3: ")
      try expect(["[1,\"a\",2]"], .corrupt, "line 3: ")
      try expect(["[1,\"a\"]", "[2,3]"], .corrupt, "line 4: ")
      try expect(["[1.5,\"a\"]"], .corrupt, "line 3: ")
      try expect(["[99999999999999999999,\"a\"]"], .corrupt, "line 3: ")
      try expect(["[null,\"a\"]"], .missingValue, "lines 1 to 4: ")
      try expect(["[1,\"a\"]", "[1,\"b\"]"], .duplicateKey, "lines 1 to 5: ")
      try expect(["[1,\"a\"]", "[2,\"a\"]"], .uniqueViolation, "lines 1 to 5: ")
      try expect(["7"], .corrupt, "line 3: ")
      try expect(["[1,\"a\u{1}b\"]"], .corrupt, "line 3")
      try expect(["[1,\"a\\u0001\u{1F}\"]"], .corrupt, "line 3")
      try expect(["{}"], .corrupt, "line 3: ")
    },
    restore("forged-models", ["MOVE-7"], "Models that no store has are refused with the line.") { moving in
      func expect(_ model: String, _ code: StorageError.Code, _ words: String) throws {
        let lines = [header] + model.split(separator: "\n").map(String.init)
        let end = ["{\"end\":true,\"models\":\(lines.count - 1),\"rows\":0,\"sha256\":\"?\"}"]
        try expectRefusal(moving, try signed(lines + end), code, words)
      }
      func declared(_ name: String, _ properties: String, key: String = "id", indexes: String = "") -> String {
        "{\"model\":\"\(name)\",\"key\":\"\(key)\",\"properties\":[\(properties)],\"indexes\":[\(indexes)]}"
      }
      let id = "{\"name\":\"id\",\"type\":\"int64\"}"
      try expect(declared("M", id, key: "no"), .corrupt, "line 2: ")
      try expect(declared("M", "{\"name\":\"id\",\"type\":\"int65\"}"), .corrupt, "line 2: ")
      try expect(declared("M", id, indexes: "{\"name\":\"x\",\"columns\":[{\"name\":\"no\"}]}"), .corrupt, "line 2: ")
      try expect(declared("M", id, indexes: "{\"name\":\"x\",\"columns\":[]}"), .schemaMismatch, "line 2: ")
      try expect(declared("M", id + "," + id), .schemaMismatch, "line 2: ")
      try expect(declared("_quarry", id), .schemaMismatch, "line 2: ")
      try expect(declared("", id), .schemaMismatch, "line 2: ")
      try expect(declared("M", id) + "\n" + declared("M", id), .corrupt, "line 3: ")
      try expect(declared("N", id) + "\n" + declared("M", id), .corrupt, "line 3: ")
      try expect(declared("M", "{\"name\":\"id\",\"type\":\"int64\",\"default\":\"x\"}"), .corrupt, "line 2: ")
      try expect(declared("M", id + ",{\"name\":\"a\",\"type\":\"array\"}"), .schemaMismatch, "line 2: ")
      try expectRefusal(moving, try signed([header, "[1]"]), .corrupt, "line 2: ")
      try expectRefusal(
        moving, try signed(["{\"quarry\":\"dump\",\"format\":1,\"version\":0}"]), .corrupt, "line 1: ")
      try expectRefusal(
        moving, try signed([header, declared("M", id), "{\"end\":true,\"models\":2,\"rows\":0,\"sha256\":\"?\"}"]),
        .corrupt, "line 3: ")
    },
    restore("forged-checks", ["MOVE-7"], "Checks that a dump does not have are refused, whatever their checksums.") {
      moving in
      func expect(_ lines: [String], rows: Int, _ place: String) throws {
        let end = "{\"end\":true,\"models\":1,\"rows\":\(rows),\"sha256\":\"?\"}"
        try expectRefusal(moving, try signed([header, model] + lines + [end]), .corrupt, place)
      }
      func check(_ rows: Int) -> String { "{\"rows\":\(rows),\"sha256\":\"?\"}" }
      let rows = ["[1,\"a\"]", "[2,\"b\"]"]
      // A count that is too high, too low, or not the one since the beginning of the model.
      try expect(rows + [check(3)], rows: 2, "line 5: ")
      try expect(rows + [check(1)], rows: 2, "line 5: ")
      try expect([rows[0], check(1), rows[1], check(1)], rows: 2, "line 6: ")
      // A check without rows, and rows without a check, however long they are.
      try expect([check(0)], rows: 0, "line 3: ")
      try expect(rows + [check(2), check(2)], rows: 2, "line 6: ")
      try expect(rows, rows: 2, "line 5: ")
      try expect(["[1,\"\(String(repeating: "x", count: 1 << 20))\"]"], rows: 1, "line 4: ")
      // More rows than may come before a check.
      try expect((0...1_000).map { "[\($0),\"\($0)\"]" } + [check(1_001)], rows: 1_001, "line 1003: ")
    },
    restore(
      "references", ["MOVE-7", "REL-2"], "Models that refer to each other are restored, references to nothing are not."
    ) { moving in
      func declared(_ name: String, _ target: String) -> String {
        "{\"model\":\"\(name)\",\"key\":\"id\",\"properties\":[{\"name\":\"id\",\"type\":\"int64\"},"
          + "{\"name\":\"to\",\"type\":\"int64\",\"optional\":true,\"reference\":\"\(target)\","
          + "\"deleteRule\":\"deny\"}],\"indexes\":[]}"
      }
      func dumped(_ first: [String], _ second: [String]) throws -> String {
        func check(_ rows: [String]) -> [String] {
          rows.isEmpty ? [] : ["{\"rows\":\(rows.count),\"sha256\":\"?\"}"]
        }
        let count = first.count + second.count
        return try signed(
          ["{\"quarry\":\"dump\",\"format\":2}", declared("A", "B")] + first + check(first)
            + [declared("B", "A")] + second + check(second)
            + ["{\"end\":true,\"models\":2,\"rows\":\(count),\"sha256\":\"?\"}"])
      }
      let place = try moving.kit.makePlace()
      try StoreDump.restore(try dumped(["[1,2]", "[3,null]"], ["[2,3]", "[4,1]"]), to: place)
      let made = try moving.made(at: place)
      try expectEqual(try made.records.fetch(in: "A").map { $0["to"] }, [.int(2), .null])
      try expectEqual(try made.records.fetch(in: "B").map { $0["to"] }, [.int(3), .int(1)])
      try expectEqual(try made.check(), [])
      try expectRefusal(moving, try dumped(["[1,2]"], ["[2,7]"]), .missingReference, "7")
      try expectRefusal(moving, try dumped(["[1,5]"], ["[2,1]"]), .missingReference, "5")
    },
    restore("deep", ["MOVE-7"], "A line with arrays in arrays without end is refused.") { moving in
      try expectRefusal(moving, String(repeating: "[", count: 100_000) + "\n", .corrupt, "line 1: ")
      try expectRefusal(
        moving, header + "\n" + String(repeating: "[", count: 100_000) + "\n", .corrupt, "line 2: ")
    },
  ]
}
