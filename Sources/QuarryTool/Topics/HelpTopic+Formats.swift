extension HelpTopic {
  static let formats = HelpTopic(
    name: "formats",
    abstract: "Formats of files and of output: CSV, JSON Lines, JSON, tables, dumps.",
    text: """
      FORMATS

      import and export choose the format by the end of a file's name:

        .csv     CSV with a header. import detects the delimiter and the encoding.
        .tsv     CSV with tabs, for import.
        .jsonl   One JSON object on each line.
        .json    An array of JSON objects. import also reads one object on each line.

      import reads standard input when its file is -, and --format names the format. --delimiter and
      --encoding override what import detects; --type, --null and --empty-as-text decide about cells.

      query prints a table; --format chooses table, json, jsonl or csv. watch has text and jsonl.

      Values as text:

        nil        an empty cell of CSV, null in JSON
        text       quoted in CSV if it is empty or looks like a number
        date       2026-02-03T04:05:06Z (ISO 8601, UTC)
        data       base64
        decimal    all digits; an import keeps decimals that a double would change
        double     also NaN, Infinity and -Infinity
        nested     JSON

      dump writes a whole store as JSON Lines with checksums, and restore reads it back on any engine.
      The same contents give the same bytes. A dump is plain text, also of an encrypted store.

      export and dump refuse to replace a file unless --force is given. They never replace a store, a
      file next to a store, or a key.
      """)
}
