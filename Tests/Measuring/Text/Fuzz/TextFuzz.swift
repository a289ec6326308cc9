import Foundation
import QuarryText
import Synchronization

/// Tries random inputs: the same seed has the same inputs.
@main struct TextFuzz {
  /// The input that is tried, for the watch.
  private static let current = Atomic<Int>(0)

  static func main() {
    var inputs = 1_000_000
    var seed: UInt64 = 1
    var arguments = CommandLine.arguments.dropFirst()
    while let option = arguments.popFirst() {
      switch (option, arguments.popFirst()) {
      case ("--inputs", let value?): inputs = Int(value) ?? inputs
      case ("--seed", let value?): seed = UInt64(value) ?? seed
      default:
        print("error: \(option) is no option, or has no value")
        exit(64)
      }
    }
    watch(seed)
    let start = ContinuousClock.now
    var tokens = 0
    var lists = 0
    for number in 0..<inputs {
      current.store(number, ordering: .relaxed)
      var random = RandomTexts(seed: seed &* 1_000_003 &+ UInt64(number))
      var defect: String?
      switch number % 4 {
      case 0:
        let text = random.text(length: 0...24)
        tokens += Tokenizer().tokens(of: text).count
        defect = TextProperties.defect(of: text)
      case 1: defect = TextProperties.queryDefect(of: random.text(length: 0...24))
      case 2:
        let bytes = [1] + random.bytes(0...24)
        lists += (try? PostingList(decoding: bytes)) == nil ? 0 : 1
        defect = TextProperties.postingsDefect(of: bytes)
      default:
        let text = random.sentence(words: 0...6)
        tokens += Tokenizer().tokens(of: text).count
        defect = TextProperties.defect(of: text) ?? TextProperties.queryDefect(of: text)
      }
      if let defect {
        print("error: input \(number) of seed \(seed): \(defect)")
        exit(1)
      }
    }
    let time = ContinuousClock.now - start
    print("\(inputs) inputs of seed \(seed), \(tokens) tokens, \(lists) sound lists, no defect, \(time)")
  }

  /// Ends the process when one input takes longer than ten seconds.
  private static func watch(_ seed: UInt64) {
    Thread.detachNewThread {
      var last = -1
      while true {
        Thread.sleep(forTimeInterval: 10)
        let number = current.load(ordering: .relaxed)
        if number == last {
          print("error: input \(number) of seed \(seed) takes longer than ten seconds")
          exit(1)
        }
        last = number
      }
    }
  }
}
