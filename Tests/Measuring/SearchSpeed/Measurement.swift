import Foundation
import QuarryBackend
import QuarryCore
import QuarryText

/// Measures engines beside a peer, on the same texts.
func measure(_ corpus: Corpus, _ peer: any Peer, _ subjects: [Subject]) throws {
  let table = Table(peer: peer.name, engines: subjects.map(\.name))
  table.head(corpus)
  var options = OpenOptions()
  options.durability = .processCrash

  let peerBuild = try milliseconds {
    for start in stride(from: 0, to: corpus.texts.count, by: 10_000) {
      try peer.insert(corpus.texts[start..<min(start + 10_000, corpus.texts.count)])
    }
  }
  var stores: [Store] = []
  var builds: [Double] = []
  var plainBuilds: [Double] = []
  var sizes: [Double] = []
  for subject in subjects {
    let place = try subject.place("indexed")
    let plain = try Store(models: [Plain.self], in: subject.place("plain"), options: options)
    plainBuilds.append(try milliseconds { try insert(Plain.self, plain, corpus.texts) })
    try plain.close()
    let store = try Store(models: [Indexed.self], in: place, options: options)
    builds.append(try milliseconds { try insert(Indexed.self, store, corpus.texts) })
    try store.close()
    sizes.append(Double(try subject.size("indexed") - subject.size("plain")) / Double(corpus.byteCount))
    try subject.remove("plain")
    stores.append(try Store(models: [Indexed.self], in: place, options: options))
  }
  table.line("insert ms", peerBuild, builds, goal: nil, digits: 0)
  for (place, subject) in subjects.enumerated() {
    let rate = plainBuilds[place] / builds[place]
    say(
      "  \(subject.name): rate \(String(format: "%.2f", rate)) of inserts without an index, goal 0.3: \(rate >= 0.3 ? "met" : "missed");"
        + " index \(String(format: "%.2f", sizes[place])) x the texts, goal 1.2: \(sizes[place] <= 1.2 ? "met" : "missed")"
    )
  }
  say("  largest memory so far: \(peakMemory()) MB, texts and stores of this program included")

  let searches = corpus.searches(15)
  func compare<S>(
    _ name: String, _ searches: [S], goal: Double?, _ match: (S) -> PeerSearch, ranked: Int? = nil,
    _ query: (S) -> SearchQuery
  ) throws {
    var due: [Int] = []
    let time = try search(searches, { try peer.keys(match($0), ranked: ranked).count }, &due)
    var times: [Double] = []
    for store in stores {
      var found: [Int] = []
      times.append(
        try search(
          searches,
          { one in
            if let ranked { return try store.ranked(Indexed.all, by: query(one), limit: ranked).count }
            return try store.keys(Indexed.where { $0.search(query(one)) }).count
          }, &found))
      // The tokenizers differ; texts of plain words have the same answers.
      if found != due {
        say("  \(name): other counts than \(peer.name): \(zip(due, found).filter { $0 != $1 }.prefix(3))")
      }
    }
    table.line(name, time, times, goal: goal, digits: 3)
  }
  try compare("rare word", searches.rare, goal: 1, { .words([$0]) }) { .word($0) }
  try compare("common word", searches.common, goal: nil, { .words([$0]) }) { .word($0) }
  try compare("two common words", searches.twoCommon, goal: 2, { .words([$0.0, $0.1]) }) {
    .all(.word($0.0), .word($0.1))
  }
  try compare("two letters", searches.beginnings, goal: nil, { .beginning($0) }) { .prefix($0) }
  try compare("phrase", searches.phrases, goal: nil, { .phrase($0) }) { .phrase($0) }
  try compare("ranked first ten", searches.common, goal: nil, { .words([$0]) }, ranked: 10) { .word($0) }

  let changed = corpus.texts.indices.map { corpus.texts[($0 + 1) % corpus.texts.count] }
  let ids = 0..<min(1_000, corpus.texts.count)
  let peerUpdate = try milliseconds {
    for start in stride(from: 0, to: ids.count, by: 100) {
      try peer.update(start..<min(start + 100, ids.count), corpus.texts, changed)
    }
  }
  var updates: [Double] = []
  for store in stores {
    updates.append(
      try milliseconds {
        for start in stride(from: 0, to: ids.count, by: 100) {
          try store.write { tx in
            for id in start..<min(start + 100, ids.count) { try tx.update(Indexed.self, id) { $0.text = changed[id] } }
          }
        }
      })
  }
  table.line("1,000 updates ms", peerUpdate, updates, goal: nil, digits: 1)
  for store in stores { try store.close() }
  try peer.close()
}
