/// The system's description of a file.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable, Hashable { case file, directory, other }

  /// Since the beginning of 1970.
  package struct Time: Sendable, Hashable {
    package var seconds: Int64
    package var nanoseconds: Int64

    package init(seconds: Int64 = 0, nanoseconds: Int64 = 0) {
      self.seconds = seconds
      self.nanoseconds = nanoseconds
    }
  }

  package var identity: FileIdentity
  package var kind: Kind
  package var size: Int
  /// How many names the file has.
  package var links: Int
  package var permissions: UInt32
  /// When the content was changed last.
  package var modified: Time

  package init(
    identity: FileIdentity, kind: Kind, size: Int, links: Int, permissions: UInt32, modified: Time = Time()
  ) {
    self.identity = identity
    self.kind = kind
    self.size = size
    self.links = links
    self.permissions = permissions
    self.modified = modified
  }
}
