import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryData

@Suite struct CSVReaderTests {
  /// Cells as text; nil for an empty cell without quotes.
  private func rows(_ bytes: [UInt8], chunk: Int = 1 << 18) throws -> [[String?]] {
    let file = try ScratchFile(bytes, ending: "csv")
    let reader = try CSVReader(ByteSource(path: file.path, chunkSize: chunk))
    var rows: [[String?]] = [reader.names]
    while try reader.next() {
      rows.append(
        (0..<reader.count).map { reader[$0].isBlank ? nil : String(decoding: reader.bytes($0), as: UTF8.self) })
    }
    return rows
  }

  private func rows(_ text: String, chunk: Int = 1 << 18) throws -> [[String?]] {
    try rows(Array(text.utf8), chunk: chunk)
  }

  @Test(arguments: [
    "a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4\r", "a,b\n1,2\r\n3,4", "a,b\n\n1,2\n\n3,4\n\n",
  ])
  func lineEnds(_ text: String) throws {
    #expect(try rows(text) == [["a", "b"], ["1", "2"], ["3", "4"]])
  }

  @Test(arguments: 1...8)
  func chunkBordersMeanNothing(_ chunk: Int) throws {
    let text = "\u{FEFF}name,\"no\"\"te\"\r\n\"Zürich, \"\"Kreis\"\" 4\",\"two\r\nlines\"\r\n,\"\"\r\n日本,x\r\nlast,"
    #expect(
      try rows(text, chunk: chunk) == [
        ["name", "no\"te"], ["Zürich, \"Kreis\" 4", "two\r\nlines"], [nil, ""], ["日本", "x"], ["last", nil],
      ])
  }

  @Test func blankLinesAreRowsOfOneColumn() throws {
    #expect(try rows("a\n1\n\n\"\"\n") == [["a"], ["1"], [nil], [""]])
  }

  @Test func spacesBelongToTheCell() throws {
    #expect(try rows("a,b\n x , y\n") == [["a", "b"], [" x ", " y"]])
  }

  @Test func anyScalarIsOrdinary() throws {
    #expect(try rows("a\nx\0y\u{1B}\n") == [["a"], ["x\0y\u{1B}"]])
  }

  @Test(arguments: [
    ("a,b\n1,\"x\n2,3\n", "line 2, column 2:"),
    ("a,b\n1,x\"y\n", "line 2, column 2:"),
    ("a,b\n\"x\"y,1\n", "line 2, column 1:"),
    ("a,b\n\"x\n\",1\n1,x\"\n", "line 4, column 2:"),
    ("a,b\n\n1\n", "line 3, column 2:"),
    ("a,b\r\n1,2\r\n1,2,3\r\n", "line 3, column 3:"),
    ("a,,c\n", "line 1, column 2:"),
    ("a,b,A\n", "line 1, column 3:"),
    ("\n\na,\"\"\n", "line 3, column 2:"),
  ])
  func errorsHaveLineAndColumn(_ text: String, _ place: String) throws {
    let error = try #require(failure { _ = try rows(text) })
    #expect(error.code == .invalidValue)
    #expect(error.message.hasPrefix(place))
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
    ] as [[UInt8]])
  func wrongUTF8HasItsLine(_ wrong: [UInt8]) throws {
    let bytes = Array("a,b\n1,\"x\n".utf8) + wrong + Array("\"\n".utf8)
    let error = try #require(failure { _ = try rows(bytes) })
    #expect(error.code == .invalidValue)
    #expect(error.message.hasPrefix("line 3, column 2:"))
  }

  @Test(arguments: ["", "\u{FEFF}", "\n\r\n"])
  func aFileWithoutHeader(_ text: String) {
    #expect(code { _ = try rows(text) } == .invalidValue)
  }

  @Test func filesThatCannotBeRead() {
    #expect(code { _ = try ByteSource(path: "/tmp/there is no such file.csv") } == .notFound)
    #expect(code { _ = try ByteSource(path: "/tmp") } == .io)
    // Its descriptor is closed once: a second time it would be another thread's.
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<2_000 {
        let mine = open("/dev/null", O_RDONLY | O_CLOEXEC)
        _ = try? ByteSource(path: "/tmp")
        let isOpen = fcntl(mine, F_GETFD) >= 0
        if mine >= 0 { close(mine) }
        if !isOpen { Issue.record("a descriptor was closed that was somebody else's") }
      }
    }
    #expect(code { _ = try ByteSource(path: "/dev/null") } == .unsupported)
  }
}
