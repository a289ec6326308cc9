import QuarryBackend
import QuarryKeyValue

extension KeyValueWriteTransaction {
  func put(_ tree: TreeID, _ key: [UInt8], _ value: [UInt8]) throws(StorageError) {
    try key.withBytes { key throws(StorageError) in
      try value.withBytes { value throws(StorageError) in _ = try put(tree, key, value) }
    }
  }
}
