/// The lines of a source file, by offsets of UTF-8.
struct SourceLines {
  private let source: [UInt8]
  private var starts = [0]

  init(_ source: [UInt8]) {
    self.source = source
    for (place, byte) in source.enumerated() where byte == UInt8(ascii: "\n") { starts.append(place + 1) }
  }

  /// The number of the line that holds the offset, from 1.
  func line(at offset: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// The line's text without the spaces around it.
  func text(_ line: Int) -> String {
    let end = line < starts.count ? starts[line] : source.count
    let text = String(decoding: source[starts[line - 1]..<end], as: UTF8.self)
    return String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
