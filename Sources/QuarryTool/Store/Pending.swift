import QuarryBackend

struct Pending: BackendProvider {
  func open(_ options: OpenOptions) throws(StorageError) -> any Backend { throw StorageError(.io, "pending") }
}
extension BackendProvider where Self == Pending {
  static var memory: Pending { Pending() }
  static func sqlite(at: String) -> Pending { Pending() }
}
