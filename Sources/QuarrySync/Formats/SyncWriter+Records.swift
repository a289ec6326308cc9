import QuarryBackend

extension SyncWriter {
  private mutating func counter(_ count: Count) {
    varint(count.plus)
    varint(count.minus)
    varint(count.hlc)
  }

  private mutating func counts(_ counts: Counts) {
    map(counts) { writer, column, counts in
      writer.name(column)
      writer.map(counts) { writer, replica, count in
        writer.replica(replica)
        writer.counter(count)
      }
    }
  }

  private mutating func sets(_ sets: SetElements) {
    map(sets) { writer, column, elements in
      writer.name(column)
      writer.list(elements.sorted { $0.key.precedes($1.key) }) { writer, element in
        writer.value(element.key)
        writer.varint(element.value.length)
        writer.stamp(element.value.stamp)
      }
    }
  }

  mutating func births(_ births: Births) {
    map(births) { writer, birth, record in
      writer.stamp(birth)
      writer.byte((record.isWhole ? 1 : 0) | (record.root == birth ? 0 : 2))
      if record.root != birth { writer.stamp(record.root) }
      writer.registers(record.columns)
      writer.counts(record.counts)
      writer.sets(record.sets)
    }
  }

  mutating func deaths(_ deaths: Deaths) {
    map(deaths) { writer, birth, death in
      writer.stamp(birth)
      writer.stamp(death.stamp)
      writer.map(death.columns) { writer, column, stamp in
        writer.name(column)
        writer.stamp(stamp)
      }
      writer.counts(death.counts)
      writer.sets(death.sets)
    }
  }

  mutating func change(_ change: ObjectChange) {
    object(change.object)
    births(change.births)
    deaths(change.deaths)
  }

  mutating func changes(_ changes: [ObjectChange]) {
    list(changes) { $0.change($1) }
  }

  mutating func entry(_ entry: SyncEntry) {
    replica(entry.origin)
    mark(entry.mark)
    mark(entry.previous)
    byte((entry.isRepair ? 1 : 0) | (entry.isHollow ? 2 : 0) | (entry.seen.isEmpty ? 0 : 4))
    changes(entry.changes)
    map(entry.countedBefore) { writer, key, count in
      writer.object(key.object)
      writer.stamp(key.root)
      writer.name(key.column)
      writer.counter(count)
    }
    guard !entry.seen.isEmpty else { return }
    map(entry.seen) { writer, object, registers in
      writer.object(object)
      writer.registers(registers)
    }
  }

  private mutating func registers(_ registers: [SyncName: Register]) {
    map(registers) { writer, column, register in
      writer.name(column)
      writer.stamp(register.stamp)
      writer.value(register.value)
    }
  }

  mutating func vector(_ vector: VersionVector) {
    map(vector) { writer, replica, mark in
      writer.replica(replica)
      writer.mark(mark)
    }
  }

  mutating func knowledge(_ knowledge: Knowledge) {
    vector(knowledge.vector)
    list(knowledge.holes.sorted()) { $0.stamp($1) }
  }

  mutating func floors(_ floors: Floors) {
    map(floors) { writer, replica, hlc in
      writer.replica(replica)
      writer.varint(hlc)
    }
  }
}

extension CounterKey: Comparable {
  package static func < (left: CounterKey, right: CounterKey) -> Bool {
    if left.object != right.object { return left.object < right.object }
    return left.root != right.root ? left.root < right.root : left.column < right.column
  }
}
