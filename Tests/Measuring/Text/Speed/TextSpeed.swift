import Foundation
import QuarryText

/// Measures how fast texts are divided into words, and how large their postings are.
@main struct TextSpeed {
  static func main() throws {
    var texts: [(name: String, text: String)] = []
    for path in CommandLine.arguments.dropFirst() {
      texts.append((URL(fileURLWithPath: path).lastPathComponent, try String(contentsOfFile: path, encoding: .utf8)))
    }
    if texts.isEmpty { texts = generated() }
    for (name, text) in texts { measure(name, text) }
  }

  private static let samples: [(String, String)] = [
    (
      "English",
      "The quick brown fox jumps over the lazy dog, and reads 42 pages of foo_bar at john.smith@example.com. "
    ),
    ("German", "Über den Wäldern hängt grauer Nebel; die Straße führt geradeaus nach Köln, größer wird sie nicht. "),
    ("Russian", "Съешь же ещё этих мягких французских булок, да выпей чаю, сказала она и ушла домой. "),
    ("Greek", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία, και ο ήλιος λάμπει πάνω από την Αθήνα. "),
    ("Arabic", "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق. "),
    ("Hindi", "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले। "),
    ("Chinese", "视野无限广，窗外有蓝天。我能吞下玻璃而不伤身体。"), ("Japanese", "いろはにほへと ちりぬるを。東京タワーは高いです。カタカナも読めます。"),
    ("Korean", "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다. "),
    ("Thai", "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน "), ("Emoji", "Nice 👍🏽 work 🎉🎉 ❤️ 🇩🇪 👨‍👩‍👧 ok. "),
  ]

  private static func generated() -> [(name: String, text: String)] {
    samples.map { name, text in (name, String(repeating: text, count: 4_000_000 / text.utf8.count)) }
  }

  private static func measure(_ name: String, _ text: String) {
    var tokens = 0
    var bytes = 0
    var best = Duration.seconds(1000)
    for _ in 0..<5 {
      tokens = 0
      bytes = 0
      let time = ContinuousClock().measure {
        Tokenizer().forEachToken(of: text) { term, _, _, _ in
          tokens += 1
          bytes += term.count
          return true
        }
      }
      best = min(best, time)
    }
    let seconds = Double(best.components.seconds) + Double(best.components.attoseconds) / 1e18
    let size = Double(text.utf8.count)
    print(
      name, text.utf8.count, "bytes,", tokens, "tokens,",
      String(format: "%.1f million tokens/s, %.0f MB/s", Double(tokens) / seconds / 1e6, size / seconds / 1e6))
  }
}
