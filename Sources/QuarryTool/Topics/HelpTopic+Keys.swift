extension HelpTopic {
  static let keys = HelpTopic(
    name: "keys",
    abstract: "Keys of encrypted stores: where they are kept, and how commands find them.",
    text: """
      KEYS

      A key is never an argument itself, because other users of a machine can read arguments. Each
      command that opens a store takes its key from one of these:

        --key-file FILE      a file that holds the key
        --key-store NAME     a key in the key store of the user, by its name
        QUARRY_KEY_FILE      an environment variable that names a file with the key, if no option does

      quarry key new NAME creates a key of 32 random bytes in the key store, and quarry key new --file
      FILE in a file. quarry key list prints the names. quarry key export NAME FILE writes a key to a file
      that only its owner can read. Keep a copy elsewhere: without its key, a store cannot be read.

      encrypt and decrypt change an existing store, which must not be open anywhere. rekey gives it
      another key: --new-key-file FILE or --new-key-store NAME. With --wrapping-only, rekey does not
      rewrite the data.

      Commands with two stores have options for the second: --to-key-file and --to-key-store of copy,
      --other-key-file and --other-key-store of diff.

      Errors: keyRequired for an encrypted store without a key, wrongKey for another key, notEncrypted
      for a plain store with a key, corrupt for data that was changed.

      check --repair of an encrypted store requires --quarantine, because rows that cannot be read are
      written there in the clear. Dumps and exports are plain, too.
      """)
}
