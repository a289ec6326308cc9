extension HelpTopic {
  // The lines of the engine that a trait of the package adds.
  #if PostgreSQL
    private static let optionalKind = """

        postgres:CONNECTION   a schema of a PostgreSQL database, by a connection string of libpq
      """
    private static let optionalOptions = """

        postgres: schema=quarry       the schema that has the store
        postgres: connections=64      the maximum number of connections that the store uses at once
        postgres: writers=many        creates a store whose transactions write at the same time
        postgres: pooled=true         goes through a pooler, such as pgbouncer, in transaction mode
      """
  #else
    private static let optionalKind = ""
    private static let optionalOptions = ""
  #endif

  static let urls = HelpTopic(
    name: "urls",
    abstract: "How a URL names a store, and the options that it takes.",
    text: """
      URLS

      A URL has the form KIND:PATH?option=value&option=value.

        memory:         a store that is gone when the command ends
        file:PATH       one file in Quarry's own format
        sqlite:PATH     an SQLite database
        lmdb:PATH       a directory in the format of LMDB\(optionalKind)

      The path is used as it is written: %20 is not a space. Only a question mark in a path is written
      twice.

      Options of every store:

        durability=powerLoss    what commits survive: none, processCrash or powerLoss
        readOnly=true           every write is refused with readOnly
        create=false            a store that does not exist is notFound
        timeout=2.5             seconds to wait for another writer, then busy
        history=30d,64MB        keeps a history of writes, bounded by age, size or both; off removes it
        memory=64MB             what a call holds for groups before it sorts rows in temporary files

      Options of one kind of store:

        file:     compaction=4MB      rewrites the file at this amount of garbage; manual: only by compact
        sqlite:   cache=64MB          page cache of each connection
        sqlite:   readers=8           idle connections kept for readers
        sqlite:   checksums=false     creates a store without checksums, for other programs that write to it
        lmdb:     map=16GB            the maximum size of the store
        lmdb:     readers=64          the maximum number of read transactions at a time, in all processes
        lmdb:     checksums=true      creates a store with checksums: damage is found, reading costs more\(optionalOptions)

      Sizes are bytes, or KB, MB and GB in powers of 1024. In a shell, quote a URL with options:

        quarry stat 'sqlite:library.db?readOnly=true'

      quarry engines prints what each engine offers.
      """)
}
