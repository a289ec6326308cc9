// What users meet of the interface and of the queries below. Scoped, so that `Row`, `Key` and `Schema` stay out of their way.
@_exported public import struct QuarryBackend.BackendManifest
@_exported public import protocol QuarryBackend.BackendProvider
@_exported public import struct QuarryBackend.BackendStatistics
@_exported public import enum QuarryBackend.Capability
@_exported public import struct QuarryBackend.CommitVersion
@_exported public import struct QuarryBackend.OpenOptions
@_exported public import struct QuarryBackend.QueryPlan
@_exported public import struct QuarryBackend.StorageError
@_exported public import enum QuarryBackend.Support
@_exported public import struct QuarryBackend.TextOptions
@_exported public import enum QuarryBackend.Value
@_exported public import enum QuarryQuery.AssignmentParser
@_exported public import struct QuarryQuery.AssignmentTree
@_exported public import enum QuarryQuery.PredicateParser
@_exported public import enum QuarryQuery.PredicateTree
@_exported public import struct QuarryQuery.QueryTree
@_exported public import enum QuarryQuery.SortParser
