/// The number of a tree. 0 holds Quarry's own records (the schema among them), others are ids of the schema. With its
/// highest bit set it is the tree of the long keys of the tree without it, where the engine limits the length of keys.
public typealias TreeID = UInt32
