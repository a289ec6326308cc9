/// A source file with mutants planted in it.
public struct PlantedSource {
  /// The module of the switch that says which mutant is live.
  public static let switchModule = "CMutantSwitch"

  public let text: String
  /// Where the mutants stand in the text, by their numbers.
  public let lines: [Int: ClosedRange<Int>]

  /// - Parameter mutants: Mutants of the file, with their numbers; none overlaps another.
  public init(_ source: String, _ mutants: [(number: Int, mutant: Mutant)]) {
    guard !mutants.isEmpty else {
      text = source
      lines = [:]
      return
    }
    let bytes = Array(source.utf8)
    // Public, so that code that is compiled into other modules finds the switch there; on the first line, so that the
    // numbers of the lines stay.
    var planted = Array("public import \(Self.switchModule); ".utf8)
    var line = 1
    var end = 0
    var lines: [Int: ClosedRange<Int>] = [:]
    func append(_ part: some Collection<UInt8>) {
      planted += part
      line += part.count { $0 == UInt8(ascii: "\n") }
    }
    for (number, mutant) in mutants.sorted(by: { $0.mutant.range.lowerBound < $1.mutant.range.lowerBound }) {
      append(bytes[end..<mutant.range.lowerBound])
      let first = line
      let original = String(decoding: bytes[mutant.range], as: UTF8.self)
      append(Array(mutant.planted(original, "quarryMutant(\(number))").utf8))
      lines[number] = first...line
      end = mutant.range.upperBound
    }
    append(bytes[end...])
    text = String(decoding: planted, as: UTF8.self)
    self.lines = lines
  }
}
