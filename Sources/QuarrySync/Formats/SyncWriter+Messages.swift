import QuarryBackend

extension SyncWriter {
  mutating func rules(_ rules: MergeRules) {
    // A resolved model is a rule of the column that no program has.
    let resolved = rules.resolved.map { (MergeRules.Column($0, .claim), MergeRule.latest) }
    map(rules.rules.merging(resolved) { $1 }) { writer, column, rule in
      writer.name(column.model)
      writer.name(column.column)
      writer.byte(rule.rawValue)
    }
  }

  mutating func header(_ header: RowsHeader) {
    knowledge(header.knowledge)
    floors(header.collected)
    flag(header.isWhole)
  }

  mutating func hello(_ hello: SyncHello) {
    replica(hello.replica)
    list(hello.names) { $0.replica($1) }
    fixed(hello.session)
    knowledge(hello.knowledge)
    floors(hello.collected)
    varint(hello.time)
    flag(hello.infersDeletes)
    optional(hello.progress) { writer, progress in
      writer.object(progress.object)
      writer.header(progress.header)
    }
    varint(hello.cursor)
    rules(hello.rules)
    byte(hello.role.byte)
    if let place = hello.place { self.place(place) }
  }

  private mutating func introduction(_ introduction: Introduction) {
    replica(introduction.replica)
    fixed(introduction.session)
    list(introduction.known) { writer, known in
      writer.replica(known.name)
      writer.mark(known.last)
      writer.map(known.tags) { writer, hlc, tag in writer.mark(EntryMark(hlc, tag)) }
      writer.varint(known.trimmed)
      writer.list(known.voids) { writer, void in
        writer.mark(void.mark)
        writer.fixed(void.void)
      }
    }
    list(introduction.doubts) { writer, doubt in
      writer.replica(doubt.origin)
      writer.mark(doubt.mark)
    }
    rules(introduction.rules)
  }

  private mutating func part(_ part: PartObject) {
    object(part.object)
    optional(part.births) { $0.births($1) }
    deaths(part.deaths)
    map(part.blanks) { writer, column, stamp in
      writer.name(column)
      writer.stamp(stamp)
    }
    flag(part.isWanted)
    vector(part.vector)
  }

  mutating func refusal(_ refusal: Refusal) {
    replica(refusal.origin)
    mark(refusal.mark)
    fixed(refusal.void)
    list(refusal.objects) { $0.object($1) }
    value(.string(refusal.reason))
  }

  mutating func message(_ message: SyncMessage) {
    switch message {
    case .yours(let introduction): self.introduction(introduction)
    case .log(let entry): self.entry(entry)
    case .rows(let change, let after, let header):
      self.change(change)
      optional(after) { $0.object($1) }
      self.header(header)
    case .end(let header, let after):
      self.header(header)
      optional(after) { $0.object($1) }
    case .part(let part): self.part(part)
    case .partEnd(let cursor, let vector):
      varint(cursor)
      self.vector(vector)
    case .partBegin(let header): self.header(header)
    case .partAt(let place, let isEnd):
      self.place(place)
      flag(isEnd)
    case .refused(let refusal, let objects, let vector):
      self.refusal(refusal)
      changes(objects)
      self.vector(vector)
    }
  }
}
