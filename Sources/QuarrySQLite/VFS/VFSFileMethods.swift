import CSQLite

/// The functions that SQLite calls on files of ours, each a line that finds the object and calls it.
///
/// The unsafe part: behind SQLite's part of a file is a retained reference to its ``VFSFile``, which is put there when the
/// file is opened and released when SQLite closes it, which it does once and last.
enum VFSFileMethods {
  private static let referencePlace = MemoryLayout<sqlite3_file>.stride

  static func put(_ object: VFSFile, into file: UnsafeMutablePointer<sqlite3_file>) {
    UnsafeMutableRawPointer(file).storeBytes(
      of: Unmanaged.passRetained(object).toOpaque(), toByteOffset: referencePlace, as: UnsafeMutableRawPointer.self)
    file.pointee.pMethods = UnsafePointer(table)
  }

  /// The object of an open file; nil for a file of another VFS.
  static func file(_ file: UnsafeMutablePointer<sqlite3_file>) -> VFSFile? {
    guard file.pointee.pMethods == UnsafePointer(table) else { return nil }
    return reference(file).takeUnretainedValue()
  }

  /// The object of the file that a connection has open as its database; nil for one of another VFS.
  static func file(of database: OpaquePointer) -> VFSFile? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK else { return nil }
    return file.flatMap { self.file($0) }
  }

  @inline(__always)
  private static func reference(_ file: UnsafeMutablePointer<sqlite3_file>) -> Unmanaged<VFSFile> {
    .fromOpaque(
      UnsafeRawPointer(file).load(fromByteOffset: referencePlace, as: UnsafeMutableRawPointer.self))
  }

  @inline(__always)
  private static func with(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ body: (VFSFile) -> Int32
  ) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    return reference(file)._withUnsafeGuaranteedRef(body)
  }

  // MARK: Files

  /// One table for all files, which is there for good.
  nonisolated(unsafe) private static let table: UnsafeMutablePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    // Without xFetch: nothing is mapped.
    methods.iVersion = 2
    methods.xClose = { file in
      guard let file else { return SQLITE_MISUSE }
      let object = VFSFileMethods.reference(file).takeRetainedValue()
      file.pointee.pMethods = nil
      return object.close()
    }
    methods.xRead = { file, target, count, offset in
      guard let target else { return FileResult.read }
      return VFSFileMethods.with(file) { $0.read(target, Int(count), offset) }
    }
    methods.xWrite = { file, source, count, offset in
      guard let source else { return FileResult.write }
      return VFSFileMethods.with(file) { $0.write(source, Int(count), offset) }
    }
    methods.xTruncate = { file, size in VFSFileMethods.with(file) { $0.truncate(size) } }
    methods.xSync = { file, flags in VFSFileMethods.with(file) { $0.sync(flags) } }
    methods.xFileSize = { file, size in
      var found: Int64 = 0
      let result = VFSFileMethods.with(file) { $0.size(&found) }
      if result == SQLITE_OK { size?.pointee = found }
      return result
    }
    methods.xLock = { file, level in VFSFileMethods.with(file) { $0.lock(level) } }
    methods.xUnlock = { file, level in VFSFileMethods.with(file) { $0.unlock(level) } }
    methods.xCheckReservedLock = { file, result in VFSFileMethods.with(file) { $0.checkReservedLock(result) } }
    methods.xFileControl = { file, operation, argument in
      VFSFileMethods.with(file) { $0.control(operation, argument) }
    }
    methods.xSectorSize = { file in VFSFileMethods.with(file) { $0.sectorSize } }
    methods.xDeviceCharacteristics = { file in VFSFileMethods.with(file) { $0.characteristics } }
    methods.xShmMap = { file, region, size, extends, place in
      VFSFileMethods.with(file) { $0.mapShared(region, size, extends, place) }
    }
    methods.xShmLock = { file, offset, count, flags in
      VFSFileMethods.with(file) { $0.lockShared(offset, count, flags) }
    }
    methods.xShmBarrier = { file in
      _ = VFSFileMethods.with(file) { file in
        file.barrier()
        return SQLITE_OK
      }
    }
    methods.xShmUnmap = { file, deletes in VFSFileMethods.with(file) { $0.unmapShared(deletes) } }
    let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    table.initialize(to: methods)
    return table
  }()

  // MARK: The VFS

  /// Opening is ours; for the rest the system's VFS is asked, which is to be given itself.
  static func install(in vfs: UnsafeMutablePointer<sqlite3_vfs>) {
    // The calls of the third version are for tests of the system's VFS.
    vfs.pointee.iVersion = 2
    vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
      guard let file, let ours = StoreVFS.of(vfs) else { return SQLITE_CANTOPEN }
      return ours.open(name, file, flags, outFlags)
    }
    vfs.pointee.xDelete = { vfs, name, syncs in
      guard let system = StoreVFS.of(vfs)?.system else { return SQLITE_MISUSE }
      return system.pointee.xDelete?(system, name, syncs) ?? SQLITE_MISUSE
    }
    vfs.pointee.xAccess = { vfs, name, flags, result in
      guard let system = StoreVFS.of(vfs)?.system else { return SQLITE_MISUSE }
      return system.pointee.xAccess?(system, name, flags, result) ?? SQLITE_MISUSE
    }
    vfs.pointee.xFullPathname = { vfs, name, count, result in
      guard let system = StoreVFS.of(vfs)?.system else { return SQLITE_MISUSE }
      return system.pointee.xFullPathname?(system, name, count, result) ?? SQLITE_MISUSE
    }
    vfs.pointee.xRandomness = { vfs, count, bytes in
      guard let system = StoreVFS.of(vfs)?.system else { return 0 }
      return system.pointee.xRandomness?(system, count, bytes) ?? 0
    }
    vfs.pointee.xSleep = { vfs, microseconds in
      guard let system = StoreVFS.of(vfs)?.system else { return 0 }
      return system.pointee.xSleep?(system, microseconds) ?? 0
    }
    vfs.pointee.xCurrentTime = { vfs, time in
      guard let system = StoreVFS.of(vfs)?.system else { return SQLITE_MISUSE }
      return system.pointee.xCurrentTime?(system, time) ?? SQLITE_MISUSE
    }
    vfs.pointee.xGetLastError = { vfs, count, text in
      guard let system = StoreVFS.of(vfs)?.system else { return 0 }
      return system.pointee.xGetLastError?(system, count, text) ?? 0
    }
    vfs.pointee.xCurrentTimeInt64 = { vfs, time in
      guard let system = StoreVFS.of(vfs)?.system else { return SQLITE_MISUSE }
      return system.pointee.xCurrentTimeInt64?(system, time) ?? SQLITE_MISUSE
    }
  }
}
