/// Cases of one kind of which no fault need be found by a clause of theirs, and why.
struct CaseFamily: Sendable {
  let reason: String
  /// What the ids of its cases begin with.
  private let prefixes: [String]
  /// What they end with; empty for anything.
  private let suffixes: [String]

  init(_ reason: String, _ prefixes: [String], suffixes: [String] = []) {
    self.reason = reason
    self.prefixes = prefixes
    self.suffixes = suffixes
  }

  func has(_ id: String) -> Bool {
    prefixes.contains { id.hasPrefix($0) } && (suffixes.isEmpty || suffixes.contains { id.hasSuffix($0) })
  }

  /// A case belongs to the first family that has it.
  static let all: [CaseFamily] = [
    CaseFamily(
      "What a query says wrongly is refused where it is bound, before a backend is asked.", ["PRED."],
      suffixes: [".incomparable", ".no-parse", ".unknown-property", ".literals", ".deep"]),
    CaseFamily(
      "So it is with types that have no order or no sum, with text of no text, and with positions of other queries.",
      [
        "SORT.unordered", "AGG.unordered", "AGG.no-number", "IDX.unordered", "TEXT.no-text", "NEST.refused",
        "NEST.depth",
        "PAGE.negative", "PAGE.of-another", "PAGE.stored",
      ]),
    CaseFamily("The three fronts make one query, or refuse, before a backend is asked.", ["FRONT."]),
    CaseFamily("Names are judged before a backend is asked.", ["SCH.name", "ERR.unknown-names"]),
    CaseFamily(
      "Values are made into rows and back, and refused, by the front.",
      [
        "CRUD.missing", "CRUD.update-key", "CRUD.independence", "VAL.decimal-nan", "VAL.converted",
        "VAL.unknown-raw-value", "ERR.wrong-types",
      ]),
    CaseFamily(
      "Assignments are judged before a backend is asked.", ["STMT.set"], suffixes: [".refused", "-key", "-twice"]),
    CaseFamily("Streams that are open are known to the front, which refuses.", ["STMT.iterat"]),
    CaseFamily(
      "Threads, ends and nesting of transactions are the front's, which refuses or joins.",
      [
        "TXN.ended", "TXN.elsewhere", "TXN.after-end", "TXN.other-thread", "TXN.write-in-read", "TXN.freeze-in-write",
        "TXN.two-stores", "TXN.write-joins-write", "TXN.read-in-write", "OPEN.read-only",
      ]),
    CaseFamily(
      "Where a body runs, and how often, is the front's.",
      [
        "TXN.async", "TXN.body-runs-once", "CON.body-once", "CON.cancel-inside", "CON.main-thread-blocked",
        "SNAP.objects",
      ]),
    CaseFamily(
      "Who shares a commit, and what its calls are told, is the front's: one-line mutants of it are found by these.",
      ["CON.group-"],
      suffixes: [
        "-late", "-alone", "-muted", "-kept", "-cursor", "-long", "-closed", "-schema", "-refused", "-not-early",
        "-fails", "-ends",
        "-stores", "-savepoints", "-savepoint-fails", "-threads",
      ]),
    CaseFamily(
      "These codes are the front's.", ["ERR."],
      suffixes: [
        ".closed", ".invalidQuery", ".invalidValue", ".iterationActive", ".limitExceeded", ".missingValue", ".notFound",
        ".readOnly", ".reentrant", ".schemaMismatch", ".transactionEnded", ".unsupported", ".wrongThread",
      ]),
    CaseFamily(
      "One of a table of values and types, where what is planted does not show: others of the table find it.",
      ["AGG.bool.", "PRED."], suffixes: [".edges", ".in-5000", ".beyond", ".special", ".integer", ".decimal", ".float"]),
    CaseFamily(
      "A commit that loses a change of the schema and nothing else is not planted.", ["TXN.kept."],
      suffixes: [".drop-property", ".rename-index"]),
    CaseFamily(
      "The planted stores have no second process, no file and no disk. `ProcessFaultTests` plants some faults in processes.",
      [
        "MP.", "DUR.killed", "DUR.versions", "CARE.cut", "CARE.index-and-row", "CARE.changed-bits",
        "CARE.damaged-structure", "ERR.io", "LIM.full-", "MIG.full-", "CARE.full-", "MIG.killed-", "MIG.process",
        "MIG.open-while", "MIG.open-in-another",
        "MIG.writer-in-another",
      ]),
  ]
}
