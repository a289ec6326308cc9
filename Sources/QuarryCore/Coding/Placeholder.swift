import QuarryBackend
struct ValueEncoder { func encode(_ value: some Encodable) throws(StorageError) -> Value { .null } }
struct ValueDecoder {
  func decode<T: Decodable>(_ type: T.Type, from: Value) throws(StorageError) -> T {
    throw StorageError(.invalidValue, "")
  }
}
