import OneEngine
import QuarrySQLite

OneEngineProgram.main { SQLiteConfiguration(path: $0 + "/store.db") }
