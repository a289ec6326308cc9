import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads the file of an environment with ordinary reads: what is not there is an error, where a map would end the process.
struct LMDBFileReader {
  let descriptor: Int32
  /// Of the store's directory.
  let path: String

  func size() throws(StorageError) -> Int {
    do throws(SystemError) {
      return try FileStatus(of: descriptor).size
    } catch {
      throw StorageError(system: error.number, path)
    }
  }

  /// Reads as many bytes as there is room for.
  ///
  /// - Returns: How many there were; fewer at the end of the file.
  func read(into room: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    var done = 0
    while done < room.count, let start = room.baseAddress {
      let got = pread(descriptor, start + done, room.count - done, off_t(offset + done))
      if got < 0 {
        if errno == EINTR { continue }
        throw StorageError(system: errno, path)
      }
      if got == 0 { break }
      done += got
    }
    return done
  }

  func bytes(_ count: Int, at offset: Int) throws(StorageError) -> [UInt8] {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { room.deallocate() }
    let done = try read(into: room, at: offset)
    return Array(room[..<done])
  }

  func damaged(_ what: String) -> StorageError {
    StorageError(.corrupt, "\(path)/data.mdb is damaged: \(what)")
  }
}
