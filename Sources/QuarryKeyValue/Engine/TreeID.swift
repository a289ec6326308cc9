/// The number of a tree.
///
/// 0 holds Quarry's own records (the schema among them); other numbers are ids of the schema. Where the engine limits the length
/// of keys, a number with its highest bit set is the tree of the long keys of the tree without the bit.
public typealias TreeID = UInt32
