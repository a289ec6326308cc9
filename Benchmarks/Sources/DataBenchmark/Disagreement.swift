/// Finds the engines whose answers are not those of the others.
enum Disagreement {
  /// - Returns: The engines that are alone with their answers, with words; all of them where no answer has a majority.
  static func find(_ answers: [(engine: String, answers: [AnswerDigest])]) -> [(engine: String, message: String)] {
    var found: [(engine: String, message: String)] = []
    for kind in OperationKind.allCases {
      let groups = Dictionary(grouping: answers) { $0.answers[kind.rawValue] }
        .values.sorted { $0.count > $1.count }
      guard groups.count > 1 else { continue }
      let isClear = groups[0].count > groups[1].count
      let right = groups[0].map(\.engine).joined(separator: ", ")
      for group in isClear ? Array(groups.dropFirst()) : groups {
        for one in group where !found.contains(where: { $0.engine == one.engine }) {
          let others = isClear ? "those of \(right)" : "those of the other engines"
          found.append((one.engine, "its answers to \(kind.name) operations are not \(others)"))
        }
      }
    }
    return found
  }
}
