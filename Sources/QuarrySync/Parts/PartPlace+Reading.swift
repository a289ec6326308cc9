import QuarryBackend

extension SyncReader {
  mutating func place() throws(StorageError) -> PartPlace {
    PartPlace(
      part: try fixed(), cursor: try varint(), isWhole: try flag(),
      after: try optional { reader throws(StorageError) in try reader.object() })
  }

  mutating func partHeader() throws(StorageError) -> PartHeader {
    PartHeader(knowledge: try knowledge(), isFresh: try flag(), place: try place())
  }
}
