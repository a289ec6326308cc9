import Foundation

// Writes the tables of QuarryText as Swift. See scripts/unicode-tables. The bits of a scalar are those of ScalarClass.

struct Failure: Error, CustomStringConvertible {
  var description: String
}

let scalarCount = 0x11_0000

/// The lines `START[..END] ; VALUE` of a file of the database.
func properties(_ file: URL) throws -> [(range: ClosedRange<Int>, value: String)] {
  try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
    let parts = line.prefix { $0 != "#" }.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    guard parts.count >= 2 else { return nil }
    let ends = parts[0].components(separatedBy: "..").compactMap { Int($0, radix: 16) }
    guard let first = ends.first, let last = ends.last else { throw Failure(description: "not a range: \(line)") }
    return (first...last, parts[1])
  }
}

/// The names in the order of the numbers of WordBreakClass.
let wordBreaks = [
  "Other", "CR", "LF", "Newline", "Extend", "ZWJ", "Format", "Regional_Indicator", "Katakana", "Hebrew_Letter",
  "ALetter",
  "Single_Quote", "Double_Quote", "MidNumLet", "MidLetter", "MidNum", "Numeric", "ExtendNumLet", "WSegSpace",
]

enum Bit {
  static let word: UInt32 = 1 << 5
  static let paired: UInt32 = 1 << 6
  static let pictograph: UInt32 = 1 << 7
  static let ignorable: UInt32 = 1 << 8
  static let mark: UInt32 = 1 << 9
  static let jamoTail: UInt32 = 1 << 10
  static let irregular: UInt32 = 1 << 11
  static let folds: UInt32 = 1 << 12
}

func folded(_ scalars: [Int]) -> [Int] {
  var string = ""
  for value in scalars { if let scalar = Unicode.Scalar(UInt32(value)) { string.unicodeScalars.append(scalar) } }
  return string.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).unicodeScalars.map {
    Int($0.value)
  }
}

func hex(_ value: Int) -> String { String(value, radix: 16, uppercase: true) }

/// Words in lines of a string literal.
func lines(_ words: [String]) -> String {
  var result: [String] = [], line = ""
  for word in words {
    if line.count + word.count > 108 {
      result.append(line)
      line = ""
    }
    line += (line.isEmpty ? "" : " ") + word
  }
  return (result + [line]).map { "    \($0)" }.joined(separator: " \\\n")
}

let arguments = CommandLine.arguments
guard arguments.count == 4 else { throw Failure(description: "unicode-tables FOLDER VERSION OUTPUT") }
let database = URL(fileURLWithPath: arguments[1])
func file(_ name: String) -> URL { database.appending(path: name) }

var bits = [UInt32](repeating: 0, count: scalarCount)
@MainActor func set(_ bit: UInt32, _ name: String, where isIncluded: (String) -> Bool) throws {
  for line in try properties(file(name)) where isIncluded(line.value) {
    for value in line.range { bits[value] |= bit }
  }
}

for line in try properties(file("auxiliary/WordBreakProperty.txt")) {
  guard let number = wordBreaks.firstIndex(of: line.value) else { throw Failure(description: "unknown: \(line.value)") }
  for value in line.range { bits[value] |= UInt32(number) }
}
let letters = ["L", "N"]
try set(Bit.word, "extracted/DerivedGeneralCategory.txt") { letters.contains(String($0.prefix(1))) }
// Scripts that are written without spaces between words.
let scripts = ["Han", "Hiragana", "Katakana", "Hangul"]
try set(Bit.paired, "Scripts.txt") { scripts.contains($0) }
try set(Bit.paired, "PropList.txt") { $0 == "Ideographic" }
try set(Bit.paired, "LineBreak.txt") { $0 == "SA" }
try set(Bit.pictograph, "emoji/emoji-data.txt") { $0 == "Extended_Pictographic" }
try set(Bit.mark, "DerivedCoreProperties.txt") { $0 == "Grapheme_Extend" }
try set(Bit.ignorable, "DerivedCoreProperties.txt") { $0 == "Default_Ignorable_Code_Point" }
try set(Bit.jamoTail, "HangulSyllableType.txt") { $0 == "V" || $0 == "T" }
for line in try properties(file("extracted/DerivedCombiningClass.txt")) {
  guard let number = UInt32(line.value), number < 256 else { throw Failure(description: "no class: \(line.value)") }
  for value in line.range { bits[value] |= number << 16 }
}
let katakana = UInt32(wordBreaks.firstIndex(of: "Katakana") ?? 0), attached = 4...6
for value in 0..<scalarCount {
  // The sound marks of kana are Katakana for word boundaries.
  if bits[value] & 31 == katakana { bits[value] |= Bit.paired }
  // Only letters and numbers make pairs.
  if bits[value] & Bit.word == 0 || attached.contains(Int(bits[value] & 31)) { bits[value] &= ~Bit.paired }
  if bits[value] & Bit.paired == 0 { bits[value] &= ~Bit.jamoTail }
  if bits[value] & Bit.word != 0 { bits[value] &= ~(Bit.ignorable | Bit.pictograph) }
}

var targets: [Int: [Int]] = [:]
for value in 1..<scalarCount where Unicode.Scalar(UInt32(value)) != nil {
  let alone = folded([value])
  if alone != [value] {
    targets[value] = alone
    bits[value] |= Bit.folds
  }
  // The rule of TokenFolder: marks are dropped after letters of Latin, Greek and Cyrillic, and their marks after all others.
  let isMark = bits[value] & Bit.mark != 0
  var isRegular = folded([0x61, value]) == (isMark ? [0x61] : [0x61] + alone)
  if isRegular { isRegular = folded([0x5D0, value]) == (isMark && value < 0x510 ? [0x5D0] : [0x5D0] + alone) }
  if isRegular, !isMark {
    let dropsAll = (alone.last ?? 0) < 0x510, dropsLow = dropsAll || alone == [value]
    isRegular = folded([value, 0x301]) == alone + (dropsLow ? [] : [0x301])
    if isRegular { isRegular = folded([value, 0x1BAD]) == alone + (dropsAll ? [] : [0x1BAD]) }
  }
  if !isRegular { bits[value] |= Bit.irregular }
}

var classes: [UInt32] = [], numbers: [UInt32: Int] = [:], ranges: [String] = []
var start = 0
for value in 1...scalarCount where value == scalarCount || bits[value] != bits[start] {
  if bits[start] != 0 {
    let number = numbers[bits[start]] ?? classes.count
    if number == classes.count {
      numbers[bits[start]] = number
      classes.append(bits[start])
    }
    ranges.append(hex(start) + (value - start > 1 ? "+" + hex(value - start - 1) : "") + "=" + hex(number))
  }
  start = value
}

// Runs of scalars at equal distances whose targets have equal distances: START[+COUNT*STEP]>TARGET[*STEP].
var foldings: [String] = []
var rest = targets.keys.sorted()[...]
while let first = rest.first, let target = targets[first] {
  rest.removeFirst()
  guard target.count == 1 else {
    foldings.append(hex(first) + ">" + target.map(hex).joined(separator: "."))
    continue
  }
  guard let second = rest.first, let next = targets[second], next.count == 1, second - first <= 2,
    (0...2).contains(next[0] - target[0])
  else {
    foldings.append(hex(first) + ">" + hex(target[0]))
    continue
  }
  let step = second - first, targetStep = next[0] - target[0]
  var count = 1
  while let following = rest.first, following == first + count * step,
    targets[following] == [target[0] + count * targetStep]
  {
    rest.removeFirst()
    count += 1
  }
  foldings.append("\(hex(first))+\(hex(count))*\(step)>\(hex(target[0]))*\(targetStep)")
}

let source = """
  // Written by scripts/unicode-tables; do not edit.
  //
  // Derived from the Unicode Character Database \(arguments[2]) and from Foundation's folding. The database is
  // © 1991-2022 Unicode, Inc., and modified here; docs/licenses/unicode.txt has its license.

  // swift-format-ignore-file

  /// The properties of scalars that the tokenizer needs, as text that ``UnicodeTables`` reads once.
  enum UnicodeData {
    /// The version of the Unicode Character Database.
    static let version = "\(arguments[2])"

    /// The bits of ``ScalarClass`` that occur, in hexadecimal.
    static let classes: StaticString = \"""
  \(lines(classes.map { hex(Int($0)) }))
    \"""

    /// Ranges of scalars, `START+REST=CLASS`: the first scalar, how many follow it, the place of its bits in ``classes``.
    static let ranges: StaticString = \"""
  \(lines(ranges))
    \"""

    /// Scalars and what they fold to, `START+COUNT*STEP>TARGET*STEP`, or `SCALAR>TARGET.TARGET`.
    static let foldings: StaticString = \"""
  \(lines(foldings))
    \"""
  }

  """
try source.write(
  to: URL(fileURLWithPath: arguments[3]).appending(path: "UnicodeData+Generated.swift"), atomically: true,
  encoding: .utf8)
print(
  "\(ranges.count) ranges of \(classes.count) classes, \(targets.count) foldings in \(foldings.count) runs,",
  "\(bits.count { $0 & Bit.irregular != 0 }) scalars fold irregularly")
