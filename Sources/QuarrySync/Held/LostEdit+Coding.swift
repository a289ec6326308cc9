import QuarryBackend

extension LostEdit {
  /// The stored form: equal edits have equal bytes.
  func encoded() -> [UInt8] {
    var writer = SyncWriter()
    writer.object(object)
    writer.stamp(birth)
    writer.name(column)
    writer.stamp(stamp)
    switch content {
    case .value(let value):
      writer.byte(0)
      writer.value(value)
    case .counted(let plus, let minus):
      writer.byte(1)
      writer.varint(plus)
      writer.varint(minus)
    case .element(let value):
      writer.byte(2)
      writer.value(value)
    }
    return writer.bytes
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(StorageError) {
    var reader = try SyncReader(bytes)
    object = try reader.object()
    birth = try reader.stamp()
    column = try reader.name()
    stamp = try reader.stamp()
    switch try reader.byte() {
    case 0: content = .value(try reader.value())
    case 1: content = .counted(plus: try reader.varint(), minus: try reader.varint())
    case 2: content = .element(try reader.value())
    default: throw SyncReader.damaged
    }
    try reader.finish()
  }
}
