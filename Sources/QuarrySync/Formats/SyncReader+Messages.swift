import QuarryBackend

extension SyncReader {
  mutating func rules() throws(StorageError) -> MergeRules {
    let rules: [MergeRules.Column: MergeRule] = try map { reader throws(StorageError) in
      let column = MergeRules.Column(try reader.name(), try reader.name())
      guard let rule = MergeRule(rawValue: try reader.byte()) else { throw Self.damaged }
      guard rule == .latest || column.column != .claim else { throw Self.damaged }
      return (column, rule)
    }
    return MergeRules(
      rules.filter { $0.key.column != .claim },
      resolved: Set(rules.keys.filter { $0.column == .claim }.map(\.model)))
  }

  mutating func header() throws(StorageError) -> RowsHeader {
    RowsHeader(knowledge: try knowledge(), collected: try floors(), isWhole: try flag())
  }

  /// - Parameter hasPlace: Whether the hello is of a client with a part.
  mutating func hello(hasPlace: Bool) throws(StorageError) -> SyncHello {
    let hello = SyncHello(
      replica: try replica(), names: try list { reader throws(StorageError) in try reader.replica() },
      session: try fixed(), knowledge: try knowledge(), collected: try floors(), time: try varint(),
      infersDeletes: try flag(),
      progress: try optional { reader throws(StorageError) in
        RowsProgress(object: try reader.object(), header: try reader.header())
      },
      cursor: try varint(), rules: try rules(), role: try role(),
      place: hasPlace ? try place() : nil)
    // Each name is looked for in the log of the other side.
    guard Set(hello.names).count == hello.names.count else { throw Self.damaged }
    return hello
  }

  mutating func role() throws(StorageError) -> SyncRole {
    guard let role = SyncRole(byte: try byte()) else { throw Self.damaged }
    return role
  }

  private mutating func introduction() throws(StorageError) -> Introduction {
    Introduction(
      replica: try replica(), session: try fixed(),
      known: try list { reader throws(StorageError) in try reader.known() },
      doubts: try list { reader throws(StorageError) in
        Introduction.Doubt(origin: try reader.replica(), mark: try reader.mark())
      }, rules: try rules())
  }

  private mutating func known() throws(StorageError) -> KnownOrigin {
    KnownOrigin(
      name: try replica(), last: try mark(),
      tags: try map { reader throws(StorageError) in (try reader.varint(), try reader.fixed()) },
      trimmed: try varint(),
      voids: try list { reader throws(StorageError) in
        KnownOrigin.Void(mark: try reader.mark(), void: try reader.fixed())
      })
  }

  private mutating func part() throws(StorageError) -> PartObject {
    PartObject(
      object: try object(), births: try optional { reader throws(StorageError) in try reader.births() },
      deaths: try deaths(),
      blanks: try map { reader throws(StorageError) in (try reader.name(), try reader.stamp()) },
      isWanted: try flag(), vector: try vector())
  }

  mutating func refusal() throws(StorageError) -> Refusal {
    Refusal(
      origin: try replica(), mark: try mark(), void: try fixed(),
      objects: try list { reader throws(StorageError) in try reader.object() }, reason: try text())
  }

  /// A text that is a value.
  mutating func text() throws(StorageError) -> String {
    guard case .string(let text) = try value() else { throw Self.damaged }
    return text
  }

  /// - Parameter kind: The kind of the message's frame.
  mutating func message(_ kind: SyncFrame.Kind) throws(StorageError) -> SyncMessage {
    switch kind {
    case .yours: return .yours(try introduction())
    case .log: return .log(try entry())
    case .rows:
      return .rows(
        try change(), after: try optional { reader throws(StorageError) in try reader.object() }, try header())
    case .end:
      let header = try header()
      return .end(header, after: try optional { reader throws(StorageError) in try reader.object() })
    case .part: return .part(try part())
    case .partEnd: return .partEnd(cursor: try varint(), try vector())
    case .partBegin: return .partBegin(try partHeader())
    case .partAt: return .partAt(try place(), isEnd: try flag())
    case .refused: return .refused(try refusal(), try changes(), try vector())
    case .hello, .piece: throw Self.damaged
    }
  }
}
