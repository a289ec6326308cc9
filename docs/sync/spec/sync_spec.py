"""Executable specification of history and sync in Quarry.

Read it from top to bottom: stamps, schema, records, the merge, the view, a replica, sessions.
`laws.py` checks it with random histories, `mutants.py` checks the laws, `studies.py` answers the open questions.

The idea in four sentences. A replica keeps *records*: for each object its births (the stamps of the inserts that no
delete has removed), and for each birth a register per column (stamp, value). Records are joined, never overwritten, so any two
replicas that have seen the same changes have equal records. The tables that a program reads are a *view*: a pure function
of the records that holds back what would break a reference or a unique index. A local transaction runs on the tables, and
what it changed becomes one *entry* of the log, whose columns all carry one stamp.
"""
from __future__ import annotations
import hashlib, itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Optional

BUG: set = set()  # planted faults, see mutants.py


def bug(name: str) -> bool:
    return name in BUG


# ------------------------------------------------------------------------------------------------ 1. Stamps
# A stamp is (hlc, replica). The HLC is 48 bits of milliseconds and 16 bits of counter; here TICKS to the unit of time.
# Each local transaction takes a new HLC, so a stamp also names the entry that wrote it: HLCs are the sequence numbers.

TICKS = 16
TAG_INT, TAG_STRING, TAG_ARRAY = 5, 12, 19  # the tags of stored values
PATIENCE = 1  # rows of an answer that was cut wait this long for the rest before they get a name, in units of time
AHEAD = 50  # a receiver refuses stamps that are further ahead of its own clock, in units of time
ZERO = (0, "")
INF = ((float("inf"), ""),)
tags = itertools.count(1)  # entries carry a random tag, which tells two entries with one stamp apart


def varint(n: int) -> bytes:
    """LEB128."""
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*out, n])


def value_bytes(value) -> bytes:
    """The stored form of a value (docs/formats/row.md, nested values), as far as the models of the laws need it."""
    if value is None:
        return b"\x00"
    if isinstance(value, int):
        return bytes([TAG_INT]) + varint((value << 1) ^ (value >> 63))
    if isinstance(value, str):
        text = value.encode()
        return bytes([TAG_STRING]) + varint(len(text)) + text
    return bytes([TAG_ARRAY]) + varint(len(value)) + b"".join(map(value_bytes, value))


# ------------------------------------------------------------------------------------------------ 2. Schema
@dataclass(frozen=True)
class Col:
    kind: str = "lww"  # lww, max, min, counter, set
    default: Any = None
    optional: bool = True
    ref: Optional[str] = None  # the model that is referred to
    rule: Optional[str] = None  # cascade, nullify, deny
    derive: Optional[tuple] = None  # a migration: (old column, function of its value)


@dataclass(frozen=True)
class Model:
    name: str
    rank: int  # models that are referred to come first
    cols: dict
    uniques: tuple = ()
    groups: tuple = ()  # columns that are stamped together

    def blank(self, index: int) -> Optional[str]:
        """The column that is shown as nil when its object loses this index; None: the whole object is parked."""
        return self.blanks[index]

    @cached_property
    def blanks(self) -> list:
        return [next((c for c in reversed(index) if self.cols[c].optional), None) for index in self.uniques]

    @cached_property
    def can_be_parked(self) -> bool:
        return None in self.blanks

    @cached_property
    def claims(self) -> list:
        return sorted({c for index in self.uniques for c in index})

    @cached_property
    def refs(self) -> list:
        return [(c, col) for c, col in self.cols.items() if col.ref]


class Schema(dict):
    """Models by name. Names here are sync names: a renamed property keeps its own."""

    def __init__(self, *models):
        super().__init__((m.name, m) for m in models)
        self.referrers: dict = {}  # model -> [(model that refers, column)]
        for m in models:
            for c, col in m.cols.items():
                if col.ref:
                    self.referrers.setdefault(col.ref, []).append((m.name, c))


KINDS: dict = {}  # (model, column) -> kind: part of the dictionary of a session, so that old versions can join too


def know(schema: Schema):
    for m in schema.values():
        for c, col in m.cols.items():
            KINDS[m.name, c] = col.kind


# ------------------------------------------------------------------------------------------------ 3. Records
CLAIM = "!"  # a register without a value: when an object was put behind others in its unique indexes


class Sub(NamedTuple):
    """What is known of one birth of an object."""
    root: tuple  # the birth whose counts these are; another only after a revival
    whole: bool  # whether the insert itself is known
    cols: dict  # column -> (stamp, value)
    counts: dict  # column -> {replica: (plus, minus, hlc)}
    sets: dict  # column -> {element: (length, stamp)}; an odd length is in


class Death(NamedTuple):
    """A delete of one birth, and what of it the deleting replica had seen."""
    stamp: tuple
    cols: dict  # column -> stamp
    counts: dict
    sets: dict


NOTHING_SEEN = Death(ZERO, {}, {}, {})


def newer(kind, a, b):
    if kind == "max" and a[1] != b[1]:
        return a if a[1] > b[1] else b
    if kind == "min" and a[1] != b[1]:
        return a if a[1] < b[1] else b
    if a[0] != b[0]:
        if bug("tie: replicas not compared") and a[0][0] == b[0][0]:
            return a
        if bug("tie: reversed on one side") and a[0][0] == b[0][0]:
            return a if (a[0][1] < b[0][1]) == (a[0][0] % 2 == 0) else b
        return a if a[0] > b[0] else b
    if bug("tie: values not compared"):
        return a
    return a if a[1] == b[1] or value_bytes(a[1]) >= value_bytes(b[1]) else b


def join_counts(a, b):
    out = dict(a)
    for c, entries in b.items():
        mine = dict(out.get(c, {}))
        for r, e in entries.items():
            if bug("counter: last writer wins"):
                mine = {r: e} if e[2] >= max((x[2] for x in mine.values()), default=0) else mine
                continue
            have = mine.get(r)
            mine[r] = e if have is None else tuple(map(max, have, e))
        out[c] = mine
    return out


def join_sets(a, b):
    out = dict(a)
    for c, elements in b.items():
        mine = dict(out.get(c, {}))
        for x, e in elements.items():
            mine[x] = max(mine[x], e) if x in mine else e
        out[c] = mine
    return out


def join_sub(model, a: Sub, b: Sub) -> Sub:
    cols = dict(a.cols)
    for c, r in b.cols.items():
        cols[c] = newer(KINDS.get((model, c), "lww"), cols[c], r) if c in cols else r
    return Sub(max(a.root, b.root), a.whole or b.whole, cols, join_counts(a.counts, b.counts), join_sets(a.sets, b.sets))


def join_death(a: Optional[Death], b: Death) -> Death:
    if a is None:
        return b
    cols = dict(a.cols)
    for c, s in b.cols.items():
        cols[c] = max(cols.get(c, ZERO), s)
    return Death(max(a.stamp, b.stamp), cols, join_counts(a.counts, b.counts), join_sets(a.sets, b.sets))


def death_of(sub: Sub, stamp) -> Death:
    return Death(stamp, {c: s for c, (s, _) in sub.cols.items()}, sub.counts, sub.sets)


def seen_of(sub: Sub, vec, holes) -> Death:
    """What of a birth a replica with this vector has seen: stands for a delete that was collected."""
    return Death(ZERO, {c: s for c, (s, _) in sub.cols.items() if covers(vec, holes, s)},
                 {c: {r: e for r, e in es.items() if covers(vec, holes, (e[2], r))} for c, es in sub.counts.items()},
                 {c: {x: e for x, e in xs.items() if covers(vec, holes, e[1])} for c, xs in sub.sets.items()})


def stamps_of(birth, sub: Sub):
    yield birth
    for s, _ in sub.cols.values():
        yield s
    for entries in sub.counts.values():
        for r, e in entries.items():
            yield (e[2], r)
    for elements in sub.sets.values():
        for _, s in elements.values():
            yield s


def counts_of(births: dict, column, dated=False) -> dict:
    """{root: {replica: (plus, minus)}} of the births that are alive; with the HLC too where `dated`."""
    roots: dict = {}
    for sub in births.values():
        entries = sub.counts.get(column)
        if entries:
            mine = roots.setdefault(sub.root, {})
            for r, e in entries.items():
                mine[r] = tuple(map(max, mine.get(r, (0, 0, 0)), e)) if dated else tuple(map(max, mine.get(r, (0, 0)), e[:2]))
    return roots


FLAT: dict = {}  # only so that the laws run faster: births are never changed in place


def flatten(model: Model, births: dict):
    """(values, stamps) of an object; None when no insert of it is known."""
    have = FLAT.get((id(births), id(model)))
    if have is None:
        if len(FLAT) > 20000:
            FLAT.clear()
        have = FLAT[id(births), id(model)] = (births, _flatten(model, births))  # held, so that the id stays its own
    return have[1]


def newest_register(kind, registers: list):
    """The register that wins, or None."""
    best = None
    for other in registers:
        best = other if best is None else newer(kind, best, other)
    return best


def _flatten(model: Model, births: dict):
    subs = {b: s for b, s in births.items() if s.whole or bug("incomplete objects are shown")}
    if not subs:
        return None
    values, stamps = {}, {CLAIM: max(s.cols.get(CLAIM, (ZERO,))[0] for s in subs.values())}
    for c, col in model.cols.items():
        if col.kind == "counter":
            values[c] = sum(p - m for es in counts_of(subs, c).values() for p, m in es.values())
        elif col.kind == "set":
            values[c] = tuple(sorted({x for s in subs.values() for x, (n, _) in s.sets.get(c, {}).items() if n % 2}))
        else:
            best = newest_register(col.kind, [s.cols[c] for s in subs.values() if c in s.cols])
            if col.derive:
                source, convert = col.derive
                derived = newest_register(col.kind, [
                    (s.cols[source][0], convert(s.cols[source][1])) for s in subs.values() if source in s.cols])
                if best is None or derived is not None and (col.kind != "lww" or derived[0] > best[0] or bug(
                        "a derived value may win over a written one") and derived[0] == best[0]):
                    best = derived if best is None else newer(col.kind, best, derived)
            if best is None:  # a column that is newer than the object: the default, older than all
                best = (ZERO, col.default)
            stamps[c], values[c] = best
    return values, stamps


# ------------------------------------------------------------------------------------------------ 4. The view
class View:
    """The tables, as a pure function of the records: SYNC-12 to SYNC-18.

    An object is *alive* when it has a birth. It *claims* the values of its unique columns, and its claim is as old as the
    youngest stamp of them. Objects are decided in the order of their claims: one loses an index to an older claim that
    holds the same value. A loser is parked (or, where a column of the index is optional, shown with nil there). What refers
    to a hidden object by cascade or deny is hidden, what refers by nullify shows nil. A parked object holds no values.
    """

    def __init__(self, records: dict, schema: Schema, blanks=None):
        self.schema, self.rows, self.stamps, self.blanks = schema, {}, {}, blanks or {}
        for mk, births in records.items():
            if mk[0] in schema and births:
                flat = flatten(schema[mk[0]], births)
                if flat:
                    self.rows[mk], self.stamps[mk] = flat
        self.prio, self.buckets, self.kids = {}, {}, {}
        for mk, row in self.rows.items():
            model = schema[mk[0]]
            if model.uniques:
                claim = max([self.stamps[mk][c] for c in model.claims] + [self.stamps[mk][CLAIM]])
                self.prio[mk] = (claim, model.rank, mk)
                for i in range(len(model.uniques)):
                    if (t := self.tuple(mk, i)) is not None:
                        self.buckets.setdefault((mk[0], i, t), []).append(mk)
            for c, col in model.refs:
                if row[c] is not None:
                    self.kids.setdefault((col.ref, row[c]), []).append(mk)
        self._ok, self._ok1, self._lost = {}, {}, {}

    def tuple(self, mk, i):
        """What an object claims in an index; None: nothing. A reference to what is deleted is nil."""
        model, out = self.schema[mk[0]], []
        for c in model.uniques[i]:
            v, col = self.rows[mk][c], model.cols[c]
            if v is None or (col.rule == "nullify" and (col.ref, v) not in self.rows):
                return None
            out.append(v)
        return tuple(out)

    def lost(self, mk, i):
        """The older claim that an object loses this index to, or None."""
        if (mk, i) not in self._lost:
            t, winner = self.tuple(mk, i), None
            if t is not None:
                for w in self.buckets[mk[0], i, t]:
                    if w != mk and self.prio[w] < self.prio[mk] and self.holds(w, i):
                        winner = w
                        break
            self._lost[mk, i] = winner
        return self._lost[mk, i]

    def holds(self, mk, i) -> bool:
        if bug("variant: a parked object holds its values"):
            return self.lost(mk, i) is None
        return self.ok1(mk) and self.lost(mk, i) is None

    def ok1(self, mk) -> bool:
        """Whether an object is decided to be there, looking only at claims that are older than its own."""
        if mk not in self._ok1:
            model = self.schema[mk[0]]
            self._ok1[mk] = self.ok_refs(mk, self.prio[mk]) and all(
                self.lost(mk, i) is None for i in range(len(model.uniques)) if model.blank(i) is None)
        return self._ok1[mk]

    def ok_refs(self, mk, before, seen=None) -> bool:
        """Whether everything that an object needs (cascade, deny) is alive, and decided to be there if older than `before`."""
        seen = {mk} if seen is None else seen
        model, row = self.schema[mk[0]], self.rows[mk]
        for c, col in model.refs:
            if col.rule in ("cascade", "deny") and row[c] is not None:
                t = (col.ref, row[c])
                if t not in self.rows:
                    return False
                if t in seen:
                    continue
                seen.add(t)
                if self.schema[t[0]].can_be_parked and self.prio[t] < before and not self.ok1(t):
                    return False
                if not self.ok_refs(t, before, seen):
                    return False
        return True

    def ok(self, mk) -> bool:
        if mk not in self._ok:
            self._ok[mk] = mk in self.rows and self.ok_refs(mk, INF) and (
                not self.schema[mk[0]].can_be_parked or self.ok1(mk))
        return self._ok[mk]

    def show(self, mk) -> Optional[dict]:
        """The row in the table; None when it is not there."""
        if not self.ok(mk):
            return None
        model, row = self.schema[mk[0]], dict(self.rows[mk])
        for i in range(len(model.uniques)):
            if (c := model.blank(i)) is not None and self.lost(mk, i) is not None:
                row[c] = None
        for c, col in model.refs:
            if col.rule == "nullify" and row[c] is not None and not self.ok((col.ref, row[c])):
                row[c] = None
        for c, stamp in self.blanks.get(mk, {}).items():  # of a part: the hub shows nil there
            if self.stamps[mk].get(c) == stamp:
                row[c] = None
        return row

    def tables(self) -> dict:
        return {mk: row for mk in self.rows if (row := self.show(mk)) is not None}

    def reason(self, mk) -> str:
        """Why an object that is alive is held: for `held()`, and for nothing else."""
        model = self.schema[mk[0]]
        if any(self.lost(mk, i) for i in range(len(model.uniques)) if model.blank(i) is None):
            return "unique"
        return "parent"

    def needs(self, mk, seen=None):
        """Everything that an object refers to by cascade or deny, directly or not."""
        seen = set() if seen is None else seen
        for c, col in self.schema[mk[0]].refs if mk in self.rows else ():
            t = (col.ref, self.rows[mk][c])
            if col.rule in ("cascade", "deny") and t[1] is not None and t not in seen:
                seen.add(t)
                yield t
                yield from self.needs(t, seen)

    def neighbours(self, mk) -> set:
        """Objects whose place in the view may depend on this one."""
        out = set(self.kids.get(mk, ()))
        if mk in self.rows:
            for i in range(len(self.schema[mk[0]].uniques)):
                if (t := self.tuple(mk, i)) is not None:
                    out.update(self.buckets[mk[0], i, t])
        return out

    def shape(self, mk):
        """What others depend on: references, claims and their age."""
        if mk not in self.rows:
            return None
        model, row = self.schema[mk[0]], self.rows[mk]
        return ([row[c] for c, _ in model.refs], self.prio.get(mk),
                [self.tuple(mk, i) for i in range(len(model.uniques))])


def reconsider(old: View, new: View, touched, shown: dict) -> tuple:
    """The tables after a change of some records, by looking at those and at what depends on them: what an engine does.

    Returns the tables, and how many objects were considered. `laws.py` compares them with `new.tables()`.
    """
    tables, todo, done = dict(shown), list(touched), set()
    while todo:
        mk = todo.pop()
        if mk in done:
            continue
        done.add(mk)
        was, now = shown.get(mk), new.show(mk)
        if now is None:
            tables.pop(mk, None)
        else:
            tables[mk] = now
        held = (mk in old.rows and was is None) or (mk in new.rows and now is None)
        refs = None if was is None or now is None else [
            c for c, col in new.schema[mk[0]].cols.items() if (col.ref or c in new.schema[mk[0]].claims) and was[c] != now[c]]
        if bug("released objects are forgotten") and now is not None:
            continue
        if held or (was is None) != (now is None) or refs or old.shape(mk) != new.shape(mk):
            todo += old.neighbours(mk) | new.neighbours(mk)
    return tables, len(done)


def problems(tables: dict, schema: Schema) -> list:
    """What a check of a store would find: written without the view, to test it."""
    found, seen = [], {}
    for mk, row in tables.items():
        model = schema[mk[0]]
        for c, col in model.cols.items():
            if col.ref and row[c] is not None and (col.ref, row[c]) not in tables:
                found.append(f"{mk}.{c} leads to {row[c]}, which is not there")
            if row[c] is None and not col.optional:
                found.append(f"{mk}.{c} is nil")
        for i, index in enumerate(model.uniques):
            t = tuple(row[c] for c in index)
            if None not in t and seen.setdefault((mk[0], i, t), mk) != mk:
                found.append(f"{mk} and {seen[mk[0], i, t]} both have {index} = {t}")
    return found


# ------------------------------------------------------------------------------------------------ 5. Local transactions
class Work:
    """A local transaction over the tables, with the rules of sections 1, 9 and 22 of the contract."""

    def __init__(self, tables: dict, schema: Schema):
        self.before, self.rows, self.schema, self.seeds = tables, dict(tables), schema, set()

    def insert(self, mk, row: dict, seed=False):
        if mk in self.rows:
            return False
        self.rows[mk] = {c: col.default if seed and col.kind == "counter" else row.get(c, col.default)
                         for c, col in self.schema[mk[0]].cols.items()}
        if seed:
            self.seeds.add(mk)
        return True

    def update(self, mk, changes: dict):
        if mk not in self.rows:
            return False
        changes = {c: v for c, v in changes.items() if c in self.schema[mk[0]].cols}
        self.rows[mk] = {**self.rows[mk], **changes}
        return True

    def delete(self, mk):
        if mk not in self.rows:
            return False
        todo, gone = [mk], {}
        while todo:
            t = todo.pop()
            if t not in self.rows:
                continue
            gone[t] = self.rows.pop(t)
            for m, c in self.schema.referrers.get(t[0], ()):
                for child, row in list(self.rows.items()):
                    if child[0] == m and row[c] == t[1]:
                        rule = self.schema[m].cols[c].rule
                        if rule == "cascade":
                            todo.append(child)
                        elif rule == "nullify":
                            self.rows[child] = {**row, c: None}
        self.seeds -= gone.keys()
        for t in gone:
            for m, c in self.schema.referrers.get(t[0], ()):
                if self.schema[m].cols[c].rule == "deny" and any(
                        k[0] == m and r[c] == t[1] for k, r in self.rows.items()):
                    return False
        return True


# ------------------------------------------------------------------------------------------------ 6. Log, vectors
class Entry(NamedTuple):
    """One transaction in the log: all that it wrote carries the stamp (hlc, origin)."""
    origin: str
    hlc: int
    tag: int
    prev: tuple  # (hlc, tag) of the entry of this origin before
    objs: tuple  # (object, {birth: Sub}, {birth: Death})
    repair: bool = False  # written by the merge, not by a program
    hollow: bool = False  # its content could not be read here, or was refused by the hub
    before: tuple = ()  # ((object, root, column), what its author had counted there before): for taking it back
    saw: tuple = ()  # (object, column, stamp, value): the registers that it wrote over, for the resolver of a hub


class Hello(NamedTuple):
    replica: str
    names: tuple  # all names that it has had: it may hold entries of them that no peer has
    session: int
    vec: dict  # replica -> (hlc, tag) of the last entry that is known
    holes: frozenset  # entries below it that are not
    gc: dict
    time: int
    infers: bool = True  # a hub believes no births that are missing, but one that was restored does
    resume: tuple = ()  # of rows that were cut: (key, vector, holes, gc, whole, proof) of the last that came


def covers(vec: dict, holes, stamp) -> bool:
    """Whether a replica with this vector has seen everything with this stamp."""
    return stamp[0] <= vec.get(stamp[1], (0, 0))[0] and ((stamp[1], stamp[0]) not in holes or bug("holes are forgotten"))


def within(low: dict, vec: dict, holes) -> bool:
    """Whether a vector has everything below another one."""
    return all(h <= vec.get(r, (0, 0))[0] for r, h in low.items()) and not any(
        h <= low.get(r, 0) for r, h in holes)


def join_low(a: dict, b: dict) -> dict:
    return {r: max(a.get(r, 0), b.get(r, 0)) for r in {**a, **b}}


def floors(vec: dict) -> dict:
    """The HLCs of a vector without the tags."""
    return {r: v[0] for r, v in vec.items()}


def reach_of(objs) -> dict:
    """The newest HLC of each replica in these objects."""
    out: dict = {}
    for _, births, kills in objs:
        for h, r in [s for b, sub in births.items() for s in stamps_of(b, sub)] + [s for b, d in kills.items() for s in (b, d.stamp)]:
            out[r] = max(out.get(r, 0), h)
    return out


def newest_of(objs) -> int:
    """The HLC of the newest stamp in these objects."""
    return max([s[0] for _, births, kills in objs for b, sub in births.items() for s in stamps_of(b, sub)] + [
        s[0] for _, births, kills in objs for b, d in kills.items() for s in (b, d.stamp)], default=0)


def newest(kind, args) -> int:
    """The HLC of the newest stamp in a message."""
    if kind == "log":
        return max(max(e.hlc, newest_of(e.objs)) for e in args[0])
    objs = args[0] if kind == "rows" else args[1] if kind == "refused" else [(args[0], args[1] or {}, args[2])] if kind == "part" else ()
    stamps = [newest_of(objs)]
    if kind in ("rows", "end", "part end"):
        vec = args[2][0] if kind == "rows" else args[0] if kind == "end" else args[1]
        stamps += [v[0] for v in vec.values()]
    return max(stamps, default=0)


def number(messages) -> list:
    return [(i, *m) for i, m in enumerate(messages)]


def retag(tag, prev) -> int:
    """The tag of an entry whose predecessor was refused: a copy of its author makes the same."""
    return abs(hash((tag, prev)))


class Unresolved(Exception):
    """A resolver of a hub has no result: the entry is refused."""


class Refusal(NamedTuple):
    """An entry that the hub has refused, until its origin knows."""
    origin: str
    hlc: int
    tag: int
    void: int  # the tag that takes its place, below zero: what follows must follow this
    objects: tuple


# ------------------------------------------------------------------------------------------------ 7. A replica
class Replica:
    sessions = itertools.count(1)

    def __init__(self, rid: str, schema: Schema, clock, hub=False):
        self.rid, self.schema, self.clock, self.hub = rid, schema, clock, hub
        self.has_hub = False  # whether another one is its hub
        self.epoch = None  # the name of that hub when it was last met
        self.session = next(self.sessions)  # of this opening: answers to an earlier one are dropped
        self.names = (rid,)
        self.hlc = 0
        self.records: dict = {}  # object -> {birth: Sub}
        self.tombs: dict = {}  # object -> {birth: Death}; may be collected at any time
        self.vec: dict = {}
        self.holes: frozenset = frozenset()
        self.log: list = []
        self.floor: dict = {}  # up to here the log was trimmed
        self.gc: dict = {}  # deletes up to here may have been collected
        self.resume: tuple = ()
        self.nameless: tuple = ()  # rows that no vector covers: (HLCs of what is in them, whether by tier 3, when they get a name)
        self.tables: dict = {}
        self.view = View({}, schema)
        self.lost: list = []  # held edits: (object, birth, column, stamp, value)
        self.refused: list = []  # entries of this replica that the hub has refused: held
        self.refusals: dict = {}  # of a hub: origin -> [Refusal]
        self.scope = None  # for a replica that has only a part: (object, row) -> whether it is wanted
        self.cursor, self.why, self.blanks = 0, {}, {}  # of a part: how far, why objects are here, what the hub blanks
        self.seq, self.touched = 0, {}  # of a hub with parts: object -> the last transaction that touched it
        self.judges_from = 0  # of a hub that was restored: entries that are older may have been accepted by what it was
        self.policy = None  # of a hub: (replica, entry, tables before, tables after) -> accepted?
        self.resolver = None  # of a hub: (object, columns, base, theirs, mine) -> row; it may raise Unresolved
        self.resolves: tuple = ()  # of a client: the models that its hub resolves
        self.world = None  # the observer of laws.py
        self.looked_at = 0

    # -- the clock
    def tick(self) -> int:
        self.hlc = max(self.hlc + 1, self.clock() * TICKS) if not bug("the clock goes back") else self.clock() * TICKS + 1
        return self.hlc

    def covers(self, stamp) -> bool:
        return covers(self.vec, self.holes, stamp)

    @property
    def infers(self) -> bool:
        return not self.hub or (self.judges_from > 0 and not bug("a restored hub infers nothing"))

    def known(self, mk, b) -> bool:
        """Whether a birth that is not here is known to be deleted: it was seen, or rows that were cut have passed its key."""
        if self.resume and self.resume[4] and mk <= self.resume[0] and not bug("rows that were cut are forgotten"):
            return self.covers(b) or covers(self.resume[1], self.resume[2], b)
        return self.covers(b)

    # -- local transactions
    def transact(self, ops) -> Optional[Entry]:
        work = Work(self.tables, self.schema)
        for op, *args in ops:
            if not getattr(work, op)(*args):
                return None
        if problems(work.rows, self.schema) or work.rows == work.before:
            return None
        stamp = (self.tick(), self.rid)
        objs = self.changes(work, stamp)
        entry = self.author(objs, stamp, saw=self.overwritten(objs))
        touched = [mk for mk, _, _ in objs]
        if not bug("a commit may hide its own rows"):
            touched += self.keep_visible(work.rows)
        self.refresh(touched)
        if self.world:
            self.world.wrote(self, work, entry)
        return entry

    def changes(self, work: Work, stamp) -> list:
        objs = []
        for mk in sorted({**work.before, **work.rows}):
            was, now, model = work.before.get(mk), work.rows.get(mk), self.schema[mk[0]]
            if bug("what the view hides is written back") and was and now and mk in self.view.rows:
                was = {**was, **{c: v for c, v in self.view.rows[mk].items() if was[c] is None}}
            if was == now:
                continue
            if bug("each object has its own stamp") and objs:
                stamp = (self.tick(), self.rid)
            births = self.records.get(mk, {})
            if was is None:
                kills = {b: death_of(s, stamp) for b, s in births.items()}  # an object of this key that is held
                birth = next(iter(self.tombs.get(mk, ())), stamp) if bug("a re-insert keeps its birth") else stamp
                if birth != stamp:
                    self.put(mk, self.records.get(mk, {}), {})
                objs.append((mk, {birth: self.newborn(model, now, stamp, mk in work.seeds)}, kills))
            elif now is None:
                objs.append((mk, {}, {b: death_of(s, stamp) for b, s in births.items()}))
            elif any(col.kind == "max" and now[c] < was[c] or col.kind == "min" and now[c] > was[c]
                     for c, col in model.cols.items()):  # against the merge: only a new birth forgets what was greater
                fresh, old = self.newborn(model, now, stamp), self.again(mk[0], births)
                fresh.cols.update({c: r for c, r in old.cols.items() if c not in model.cols})
                objs.append((mk, {stamp: fresh}, {b: death_of(s, stamp) for b, s in births.items()}))
            else:
                objs.append((mk, self.edits(model, births, was, now, stamp), {}))
        return objs

    def overwritten(self, objs) -> tuple:
        """The registers that edits write over, as this replica showed them: what the author had seen of these columns. The hub
        compares the stamps with its own. A vector would not do: a later pull raises it before the entry is sent."""
        return tuple((mk, c, self.view.stamps[mk][c], self.view.rows[mk][c])
                     for mk, births, _ in objs if mk[0] in self.resolves and mk in self.view.rows
                     for c in sorted({c for sub in births.values() if not sub.whole for c in sub.cols if c != CLAIM})
                     if c in self.view.stamps[mk] and self.schema[mk[0]].cols[c].kind == "lww")

    def newborn(self, model, row, stamp, seed=False) -> Sub:
        cols, counts, sets = {}, {}, {}
        for c, col in model.cols.items():
            if col.kind == "counter":
                if row[c] and not seed:
                    counts[c] = {self.rid: (max(row[c], 0), max(-row[c], 0), stamp[0])}
            elif col.kind == "set":
                sets[c] = {x: (1, stamp) for x in row[c]}
            else:
                cols[c] = (ZERO if seed and not bug("seeds are stamped") else stamp, row[c])
        return Sub(stamp, True, cols, counts, sets)

    def edits(self, model, births, was, now, stamp) -> dict:
        changed = {c for c in model.cols if was[c] != now[c]}
        if not bug("groups are ignored"):
            for group in model.groups:
                if changed & set(group):
                    changed |= set(group)
        out, current = {}, max((b for b, s in births.items() if s.whole), default=None)
        for b, sub in births.items():
            cols, counts, sets = {}, {}, {}
            for c in changed:
                kind = model.cols[c].kind
                if kind == "counter":
                    if b == current:
                        p, m = counts_of(births, c).get(sub.root, {}).get(self.rid, (0, 0))
                        d = now[c] - was[c]
                        counts[c] = {self.rid: (p + max(d, 0), m + max(-d, 0), stamp[0])}
                elif kind == "set":
                    elements = sub.sets.get(c, {})
                    sets[c] = {x: (elements.get(x, (0,))[0] + 1, stamp) for x in set(was[c]) ^ set(now[c])
                               if (elements.get(x, (0,))[0] % 2 == 1) != (x in now[c])}
                elif bug("an update keeps the old stamp") and c in sub.cols:
                    cols[c] = (sub.cols[c][0], now[c])
                else:
                    cols[c] = (stamp, now[c])
            out[b] = Sub(sub.root, False, cols, counts, sets)
        return out

    def author(self, objs, stamp=None, repair=False, saw=()) -> Entry:
        stamp = stamp or (self.tick(), self.rid)
        before = tuple(((mk, sub.root, c), counts_of(self.records.get(mk, {}), c, True).get(sub.root, {}).get(self.rid, (0, 0, 0)))
                       for mk, births, _ in objs for sub in births.values() for c in sub.counts if not repair)
        entry = Entry(self.rid, stamp[0], next(tags), self.vec.get(self.rid, (0, 0)), tuple(objs), repair, False, before, saw)
        self.absorb(entry.objs, own=True)
        self.vec = {**self.vec, self.rid: (entry.hlc, entry.tag)}
        self.log.append(entry)
        if self.world:
            self.world.authored(self, entry)
        return entry

    # -- joining
    def absorb(self, objs, own=False):
        """Joins records. Births that were seen here and are not here are dead, although nothing says so any more."""
        for mk, births, kills in objs:
            mine, graves = dict(self.records.get(mk, {})), dict(self.tombs.get(mk, {}))
            for b, death in kills.items():
                sub = mine.pop(b, None)
                if sub and not own:
                    self.note_lost(mk, b, sub, death)
                if bug("deaths forget what was seen"):
                    death = death._replace(cols={})
                graves[b] = join_death(graves.get(b), death)
            for b, sub in births.items():
                if b in mine:
                    mine[b] = join_sub(mk[0], mine[b], sub)
                elif b in graves:
                    if self.hub:
                        self.note_lost(mk, b, sub, graves[b])
                elif self.known(mk, b) and not self.scope and not (own and sub.whole) and not bug("what is gone is taken for new"):
                    if self.hub and not sub.whole:
                        self.note_lost(mk, b, sub, NOTHING_SEEN)
                    if not self.covers(b) and not bug("what cut rows have decided gets no name"):
                        self.note_rows(floors(self.resume[1]), True, 0)  # others may show it
                else:
                    mine[b] = sub
                    if bug("of two births the later is kept"):
                        mine = {max(mine): mine[max(mine)]}
                if bug("unknown columns are dropped") and b in mine and mk[0] in self.schema:
                    known = (*self.schema[mk[0]].cols, CLAIM)
                    mine[b] = mine[b]._replace(cols={c: x for c, x in mine[b].cols.items() if c in known})
                if not bug("a merge does not raise the clock"):
                    self.hlc = max([self.hlc] + [s[0] for s in stamps_of(b, sub)])
            for d in kills.values():
                self.hlc = max(self.hlc, d.stamp[0])
            self.put(mk, mine, graves)

    def put(self, mk, births, graves):
        for table, value in ((self.records, births), (self.tombs, graves)):
            if value:
                table[mk] = value
            else:
                table.pop(mk, None)

    def note_lost(self, mk, birth, sub: Sub, death: Death):
        """Edits that a delete did not know of are held: where they were made, and at the hub."""
        for c, (stamp, value) in sub.cols.items():
            if c != CLAIM and stamp > death.cols.get(c, ZERO) and (stamp[1] == self.rid or self.hub):
                self.hold(mk, birth, c, stamp, value)
        for c, entries in sub.counts.items():
            for r, e in entries.items():
                if e[2] > death.counts.get(c, {}).get(r, (0, 0, 0))[2] and (r == self.rid or self.hub):
                    self.hold(mk, birth, c, (e[2], r), e[:2])
        for c, elements in sub.sets.items():
            for x, (n, stamp) in elements.items():
                if n > death.sets.get(c, {}).get(x, (0,))[0]:
                    self.hold(mk, birth, c, stamp, x)

    def hold(self, *edit):
        if edit not in self.lost:
            self.lost.append(edit)

    # -- what a merge writes itself
    def integrate(self, entries):
        """Joins entries in one local transaction."""
        shown, records = self.tables, dict(self.records)
        touched = []
        for e in entries:
            self.take(e)
            touched += [mk for mk, _, _ in e.objs]
        self.resolve(shown, records, touched)

    def take(self, e: Entry):
        hole = (e.origin, e.hlc)
        if not e.hollow:
            self.absorb(e.objs)
        elif hole not in self.holes:
            self.holes |= {hole}
        if not e.hollow and hole in self.holes:
            self.fill({hole})
        if e.hlc > self.vec.get(e.origin, (0, 0))[0]:
            self.vec = {**self.vec, e.origin: (e.hlc, e.tag)}
        self.log.append(e)
        if self.world:
            self.world.took(self, e)

    def fill(self, holes):
        """Holes are filled: edits of what turned out not to be born in them are of nothing."""
        self.holes -= holes
        for mk, births in list(self.records.items()):
            if any((b[1], b[0]) in holes and not sub.whole for b, sub in births.items()) and not bug("edits of nothing are kept"):
                self.put(mk, {b: sub for b, sub in births.items() if sub.whole or (b[1], b[0]) not in holes}, self.tombs.get(mk, {}))

    def resolve(self, shown, records, touched):
        if (self.hub or not self.has_hub or bug("variant: clients of a hub revive")) and not bug("deny does not revive"):
            touched += self.revive(shown, records)
        if self.hub and not bug("the hub lets newcomers evict"):
            touched += self.keep_visible(shown)
        self.refresh(touched)

    def revive(self, shown, records) -> list:
        """Among peers a delete loses to a reference by deny that it did not know: what is referred to comes back, with what
        it needs. (With a hub the hub refuses such a delete, see `judge`; a reference that comes later is held.)"""
        dead = {mk for mk in shown if mk not in self.records and mk in records}
        if not any(self.schema[m].cols[c].rule == "deny" for mk in dead for m, c in self.schema.referrers.get(mk[0], ())):
            return []
        stamp = (self.hlc + 1, self.rid)
        view = View({**self.records, **{mk: {stamp: self.again(mk[0], records[mk])} for mk in dead}}, self.schema)
        needed = set()
        for t in dead:
            for k in view.kids.get(t, ()):
                if k not in dead and view.ok(k) and any(
                        col.rule == "deny" and (col.ref, view.rows[k][c]) == t for c, col in self.schema[k[0]].cols.items()):
                    needed |= {t, *view.needs(t)} & dead
        if needed:
            stamp = (self.tick(), self.rid)
            self.author([(mk, {stamp: self.again(mk[0], records[mk])}, {}) for mk in sorted(needed)], stamp, True)
        return list(needed)

    def again(self, model, births) -> Sub:
        """A birth with all that an object had, stamps too. Counts keep their root, so that two revivals count once."""
        cols, counts, sets = {}, {}, {}
        for sub in births.values():
            for c, r in sub.cols.items():
                cols[c] = newer(KINDS.get((model, c), "lww"), cols[c], r) if c in cols else r
            sets = join_sets(sets, sub.sets)
        for c in {c for s in births.values() for c in s.counts}:
            sums: dict = {}
            for entries in counts_of(births, c).values():
                for r, (p, m) in entries.items():
                    have = sums.get(r, (0, 0, 0))
                    sums[r] = (have[0] + p, have[1] + m, max(s.counts.get(c, {}).get(r, (0, 0, 0))[2] for s in births.values()))
            counts[c] = sums
        root = (self.hlc, self.rid) if bug("a revival counts twice") else min(s.root for s in births.values())
        return Sub(root, True, cols, counts, sets)

    def keep_visible(self, shown) -> list:
        """Objects that are in the tables keep their unique values: an older claim that comes in between goes behind them."""
        touched, turned = [], set()  # visible ones go once, as two could take turns; a hidden one goes behind each that went
        while True:
            view = View(self.records, self.schema)
            late = {view.lost(mk, i) for mk, row in shown.items()
                    if mk in view.rows and all(t in view.rows for t in view.needs(mk))
                    for i, index in enumerate(self.schema[mk[0]].uniques)
                    if tuple(row[c] for c in index) == view.tuple(mk, i)} - {None, *turned}
            if not late:
                return touched
            stamp = (self.tick(), self.rid)
            self.author([(mk, {b: Sub(s.root, False, {CLAIM: (stamp, None)}, {}, {}) for b, s in self.records[mk].items()}, {})
                         for mk in sorted(late)], stamp, True)
            touched += late
            turned |= late & shown.keys()

    def refresh(self, touched=None):
        new, before = View(self.records, self.schema, self.blanks), self.tables
        if touched is None:
            self.tables = new.tables()
        elif bug("parks by order of arrival"):
            self.tables = arrival_tables(self.tables, new)
        else:
            self.tables, looked = reconsider(self.view, new, touched, self.tables)
            self.looked_at += looked
        self.view = new
        if self.hub:
            self.seq += 1
            for mk in sorted({*(touched or ()), *(mk for mk in {**before, **self.tables} if before.get(mk) != self.tables.get(mk))}):
                self.touched[mk] = self.seq
        if self.world:
            self.world.committed(self)

    # -- sessions
    def meet(self, other: str):
        """A hub that was put back: answers of what it was are not taken any more."""
        if self.has_hub:
            if self.epoch not in (None, other) and not bug("answers of what a hub was are taken"):
                self.session = next(self.sessions)
            self.epoch = other

    def hello(self) -> Hello:
        return Hello(self.rid, self.names, self.session, self.vec, self.holes, self.gc, self.clock(), self.infers, self.resume)

    def note_rows(self, reach, whole, due):
        """Notes that rows came whose end may not come."""
        if self.nameless and not within(self.nameless[0], self.vec, self.holes):
            reach, whole = join_low(reach, self.nameless[0]), whole or self.nameless[1]
        self.nameless = (reach, whole, due)

    def lacks_rows(self, vec, holes) -> bool:
        """Whether there are rows that no vector covers, and a replica with this one may lack some of them."""
        return bool(self.nameless) and not within(self.nameless[0], self.vec, self.holes) and not within(self.nameless[0], vec, holes)

    @property
    def waits(self) -> bool:
        """Whether such rows wait for the rest."""
        now = self.clock()
        return bool(self.nameless) and now < self.nameless[2] <= now + PATIENCE

    def name_rows(self):
        """Rows that no vector covers get a name, as if a replica of this name had written them in one entry that was trimmed.
        So they go on as rows, to all who do not know the name."""
        name = self.world.name(self.rid) if self.world else f"{self.rid}'"
        if not bug("rows that were cut get no name"):
            self.vec, self.floor = {**self.vec, name: (1, next(tags))}, {**self.floor, name: 1}
            if self.nameless[1] and not bug("deletes of cut rows get no name"):
                self.gc = {**self.gc, name: 1}
        self.nameless = ()

    def follows(self, last, begun) -> bool:
        """Whether rows begin here, or go on where those that came before were cut."""
        return last is None or self.resume[:5] == (last, *begun[:4]) or bug("rows go on anywhere")

    def serve(self, h: Hello) -> list:
        """Everything that another replica lacks, as messages: by the log, else by rows, else all."""
        self.meet(h.replica)
        yours, notices = self.notices(h)
        if self.lacks_rows(h.vec, h.holes):
            if not self.waits:
                self.name_rows()
            elif not within(self.floor, h.vec, h.holes):
                return number([yours] + notices)
        if within(self.floor, h.vec, h.holes):
            missing = [e for e in self.log if not covers(h.vec, h.holes, (e.hlc, e.origin))
                       and not (e.hollow and (e.origin, e.hlc) in h.holes)]
            if bug("what a push had seen counts as seen by its entries"):
                missing = [e._replace(saw=tuple((mk, c, self.seen_now(mk, c, e, s), v) for mk, c, s, v in e.saw)) for e in missing]
            return number([yours] + [("log", [e]) for e in missing] + notices)
        whole = h.infers and not within(self.gc, h.vec, h.holes)
        if bug("late replicas get rows only"):
            whole = False
        last, begun = None, (self.vec, self.holes, self.gc, whole, self.world.proof(self) if self.world else None)
        if h.resume and h.resume[4] == whole and within(floors(h.resume[1]), self.vec, self.holes) and (
                not whole or all(x <= h.resume[3].get(r, 0) for r, x in self.gc.items()) or bug("deletes that were collected meanwhile are inferred")):
            last, *begun = h.resume  # rows that were cut continue behind the last; their end has the vector of their beginning
            if bug("resumed rows end with the newest vector"):
                begun[0] = self.vec
        resumed, rows = last is not None, []
        for mk in sorted(k for k in {**self.records, **self.tombs} if last is None or k > last):
            births = self.records.get(mk, {})
            if not whole and all(covers(h.vec, h.holes, s) for b, sub in births.items() for s in stamps_of(b, sub)):
                births = {}
            kills = {b: d for b, d in self.tombs.get(mk, {}).items() if whole or not covers(h.vec, h.holes, d.stamp)}
            if births or kills:
                rows.append(("rows", [(mk, births, kills)], last, begun))
                last = mk
        return number([yours] + rows + [("end", *begun, last, resumed)] + notices)

    def receive(self, session: int, messages, size=1) -> int:
        """Takes the messages of an answer in, in their order and without a gap, `size` log entries in a transaction.

        Returns how many entries were refused.
        """
        if session != self.session:
            return 0
        bar, batch, refused, parts = float("inf"), [], 0, []
        vec, holes, earlier = dict(self.vec), set(self.holes), None
        for place, (number, kind, *args) in enumerate(messages):
            if number != place and not bug("frames are taken in any order"):
                break
            if kind in ("refused", "rows", "end", "part", "part end") and newest(kind, args) > (
                    self.clock() + AHEAD) * TICKS and not bug("any clock is believed in rows"):
                refused += 1
                break
            if kind == "yours":
                self.meet(args[1])
                if any([self.renew(name, *known) for name, known in args[0].items()]):
                    return 0  # under a new name it asks again
                for o, v in args[2]:
                    if self.vec.get(o, v)[0] == v[0]:
                        self.doubt(o, v)
                vec, holes = dict(self.vec), set(self.holes)
            elif kind == "refused":
                if batch:
                    self.integrate(batch)
                    batch = []
                if not self.rebase(*args):
                    break
                vec = dict(self.vec)
            elif kind == "rows":
                if not self.follows(*args[1:]):
                    break
                if args[1] is None:
                    earlier = (self.nameless,)
                self.rows(*args)
            elif kind == "end":
                if not self.follows(args[5], args[:4]):
                    break
                if earlier and not bug("rows of one answer get a name"):
                    self.nameless = earlier[0]  # all that came is of the vector of this end
                self.end(*args)
            elif kind == "part":
                self.take_part(*args)
                parts.append(args[0])
            elif kind == "part end":
                self.end_part(*args)
                self.refresh()
            else:
                for e in args[0]:
                    fills = (e.origin, e.hlc) in holes
                    if covers(vec, holes, (e.hlc, e.origin)) or (fills and e.hollow):
                        continue
                    if self.has_hub and e.prev[0] == vec.get(e.origin, (0, 0))[0] and e.prev != vec.get(e.origin, (0, 0)):
                        self.doubt(e.origin, e.prev)
                        vec, holes = {**vec, e.origin: e.prev}, holes | {(e.origin, e.prev[0])}
                    ahead = e.hlc > (self.clock() + AHEAD) * TICKS and not bug("any clock is believed")
                    gap = not fills and e.prev != vec.get(e.origin, (0, 0)) and not bug("gaps are accepted")
                    later = newest_of(e.objs) > e.hlc  # no honest entry contains a stamp that is later than its own
                    if self.world and later:
                        self.world.surprised(self, e)
                    if ahead or gap or later or e.hlc >= bar:  # the last only matters where an answer has gaps, which honest ones have not
                        bar, refused = min(bar, e.hlc), refused + 1
                        continue
                    if fills:
                        holes.discard((e.origin, e.hlc))
                    else:
                        vec[e.origin] = (e.hlc, e.tag)
                        if e.hollow:
                            holes.add((e.origin, e.hlc))
                    if self.hub and not e.hollow:
                        if not self.judge(e):
                            vec = dict(self.vec)
                        continue
                    batch.append(e)
                    if len(batch) == size:
                        self.integrate(batch)
                        batch = []
        if batch:
            self.integrate(batch)
        if parts:
            self.refresh()
        return refused

    def other(self, origin, last):
        """What a hub that was put back has where a client's knowledge of an origin ends with a void, if that is not this void:
        it may have taken what it had refused. (A void is the last of its origin until the origin knows of it.)"""
        mine = self.vec.get(origin, (0, 0))
        if not self.judges_from or last[1] >= 0 or mine[0] < last[0] or mine == last:
            return None
        return (last[0], next((e.tag for e in self.log if (e.origin, e.hlc) == (origin, last[0])), mine[1] if mine[0] == last[0] else 0))

    def doubt(self, origin, last):
        """The hub has another entry than this replica at the last place of an origin: it was restored, and has taken what it
        had refused. This replica takes the hub's."""
        if self.has_hub and last[0] and not bug("the hub's entry is not asked for"):
            self.vec, self.holes = {**self.vec, origin: last}, self.holes | {(origin, last[0])}

    def rows(self, objs, last, begun):
        shown, records = self.tables, dict(self.records)
        if bug("the vector is raised with the first rows"):
            for mk, births, kills in objs:
                for b, sub in births.items():
                    for st in stamps_of(b, sub):
                        if st[1] and st[0] > self.vec.get(st[1], (0, 0))[0]:
                            self.vec = {**self.vec, st[1]: (st[0], 0)}
        self.absorb(objs)
        touched = [mk for mk, _, _ in objs] + self.infer(last, objs[0][0], objs[0][1], *begun[:4])
        self.resume = (objs[0][0], *begun)
        self.note_rows(join_low(floors(begun[0]), reach_of(objs)), begun[3], self.clock() + PATIENCE)
        if self.world:
            self.world.partial(self)
        self.resolve(shown, records, touched)

    def infer(self, last, to, births, vec, holes, gc, whole) -> list:
        """Of the keys after `last` and up to `to` only those births exist: what the sender has seen of others is deleted."""
        touched = []
        if not bug("deletes are inferred from what was refused"):
            holes = holes | {(o, v[0]) for o, v in vec.items() if self.other(o, v)}
        if whole and self.infers:
            for mk in [k for k in self.records if (last is None or k > last) and (to is None or k <= to)]:
                for b, sub in list(self.records[mk].items()):
                    if covers(vec, holes, b) and not (mk == to and b in births):
                        self.note_lost(mk, b, sub, seen_of(sub, vec, holes))
                        if self.world:
                            self.world.inferred.add((mk, b))
                        self.put(mk, {k: v for k, v in self.records[mk].items() if k != b}, self.tombs.get(mk, {}))
                        touched.append(mk)
        return touched

    def end(self, vec, holes, gc, whole, proof, last, resumed):
        """The last message of rows: only now is the vector raised."""
        shown, records, touched = self.tables, dict(self.records), self.infer(last, None, {}, vec, holes, gc, whole)
        self.resume = ()
        if whole and self.infers and not bug("collected deletes are forgotten"):
            self.gc = join_low(self.gc, gc)
        raised = {r: v for r, v in vec.items() if v[0] > self.vec.get(r, (0, 0))[0]}
        before = (self.vec, self.holes)
        all_holes = frozenset(x for x in self.holes | holes
                              if not covers(*before, (x[1], x[0])) and not covers(vec, holes, (x[1], x[0])))
        filled: dict = {}
        for r, h in self.holes - all_holes:
            filled = join_low(filled, {r: h})
        self.fill(self.holes - all_holes)
        self.vec, self.holes = {**self.vec, **raised}, all_holes
        if not bug("the log seems whole after rows"):
            self.floor = join_low(self.floor, join_low({r: v[0] for r, v in raised.items()}, filled))
        if self.nameless and within(self.nameless[0], self.vec, self.holes):
            self.nameless = ()
        self.hlc = max([self.hlc] + [v[0] for v in vec.values()])
        if self.world:
            self.world.ended(self, proof, resumed)
        self.resolve(shown, records, touched)

    # -- parts
    def part(self, scope) -> set:
        """The objects of a part: those that are wanted, and what they need."""
        wanted = {mk for mk, row in self.tables.items() if scope(mk, row)}
        return wanted | {t for mk in wanted for t in self.view.needs(mk)}

    def serve_part(self, h: Hello, cursor: int, scope) -> list:
        """What a replica with a part of this hub lacks: whole records of objects that were touched since, and their needs;
        of what is not in the part only that it is not."""
        inside = self.part(scope)
        yours, notices = self.notices(h, inside)
        touched = [mk for seq, mk in sorted((seq, mk) for mk, seq in self.touched.items()) if seq > cursor]
        sent = dict.fromkeys(t for mk in touched if mk in inside for t in (mk, *self.view.needs(mk)))
        rows = []
        for mk in sent:
            model, row, raw = self.schema[mk[0]], self.tables[mk], self.view.rows[mk]
            blanks = {c: self.view.stamps[mk][c] for i in range(len(model.uniques)) if (c := model.blank(i))
                      and row[c] is None and raw[c] is not None}
            rows.append(("part", mk, self.records[mk], self.tombs.get(mk, {}), blanks, scope(mk, row), self.vec))
        gone = [("part", mk, None, self.tombs.get(mk, {}), {}, False, self.vec) for mk in touched if mk not in inside]
        return number([yours] + rows + gone + [("part end", self.seq, self.vec)] + notices)

    def take_part(self, mk, births, graves, blanks, wanted, vec):
        """Takes the hub's word for an object, and keeps what this replica wrote and the hub does not have."""
        mine = dict(self.records.get(mk, {}))
        killed = self.killed(mk, vec)
        unsent = killed or any(not covers(vec, (), s) for b, sub in mine.items() for s in stamps_of(b, sub))
        if births is None and unsent:
            return  # its edits go to the hub first, which will say it again
        for b, sub in list(mine.items()):
            if covers(vec, (), b) and (births is None or b not in births):
                if births is not None or b in graves:
                    self.note_lost(mk, b, sub, graves.get(b, death_of(sub, ZERO)))
                del mine[b]
        for b, sub in (births or {}).items():
            if b not in killed:
                mine[b] = join_sub(mk[0], mine[b], sub) if b in mine else sub
            self.hlc = max([self.hlc] + [s[0] for s in stamps_of(b, sub)])
        self.put(mk, mine, killed)
        self.blanks.pop(mk, None), self.why.pop(mk, None)
        if births is not None:
            self.why[mk] = wanted
            if blanks:
                self.blanks[mk] = blanks

    def killed(self, mk, vec) -> dict:
        """Deletes of this replica that the hub does not have."""
        return {b: d for b, d in self.tombs.get(mk, {}).items()
                if not covers(vec, (), d.stamp) and not bug("a part forgets deletes that were not sent")}

    def end_part(self, cursor, vec):
        """Drops what is here only because something needed it that is not here any more."""
        self.cursor = cursor
        self.vec = {**self.vec, **{r: v for r, v in vec.items() if v[0] > self.vec.get(r, (0, 0))[0]}}
        self.floor = join_low(self.floor, {r: v[0] for r, v in vec.items() if r not in self.names})
        self.hlc = max([self.hlc] + [v[0] for v in vec.values()])
        view = View(self.records, self.schema, self.blanks)
        needed = {t for mk in self.records if self.why.get(mk) is not False for t in view.needs(mk)}
        for mk in [mk for mk in self.records if self.why.get(mk) is False and mk not in needed]:
            self.put(mk, {}, self.killed(mk, vec))
            self.why.pop(mk), self.blanks.pop(mk, None)

    # -- a hub that refuses
    def notices(self, h: Hello, inside=None):
        """What a replica must hear first: which of its entries were refused, and what is known of its names."""
        return ("yours", {n: (self.vec[n], {e.hlc: e.tag for e in self.log if e.origin == n}, self.floor.get(n, 0),
                              [(r.hlc, r.tag, r.void) for r in self.refusals.get(n, ())]) for n in h.names if n in self.vec}, self.rid,
                [(o, v) for o, last in h.vec.items() if o not in h.names and (v := self.other(o, last))]), [
            ("refused", r, [(mk, self.records.get(mk, {}) if inside is None or mk in inside else {}, self.tombs.get(mk, {}))
                            for mk in r.objects], self.vec) for name in h.names for r in self.refusals.get(name, ())]

    def seen_now(self, mk, c, e, stamp):
        """A planted fault: the newest register that came from elsewhere."""
        return max([stamp] + [s.cols[c][0] for s in self.records.get(mk, {}).values() if c in s.cols and s.cols[c][0][1] not in self.names])

    def conflicts(self, e: Entry, after: View, records) -> dict:
        """Of each object the columns that an edit has written over a register which its author had not seen, with the value
        that the author had seen there, the hub's and the author's: SYNC-11. Both have written these columns."""
        out: dict = {}
        for mk, c, seen, base in e.saw:
            model, now = self.schema.get(mk[0]), self.view.stamps.get(mk)
            if not model or c not in model.cols or model.cols[c].kind != "lww" or now is None or mk not in after.rows:
                continue
            mine = next((sub.cols[c][1] for m, births, _ in e.objs if m == mk for b, sub in births.items()
                         if c in sub.cols and sub.cols[c][0] == (e.hlc, e.origin) and records.get(mk, {}).get(b, sub).whole), CLAIM)
            if mine == CLAIM:
                continue  # an edit of a birth that is deleted: it is held
            conflict = now[c] != seen
            if bug("older writes count as seen"):
                conflict = now[c] > (e.hlc, e.origin)
            if self.world:
                self.world.compared(self, e, mk, c, now[c], conflict)
            if conflict:
                out.setdefault(mk, {})[c] = (base, self.view.rows[mk][c], mine)
        return out

    def resolved(self, e: Entry, after: View, records) -> dict:
        """What the hub's program makes of the conflicts of an entry: {object: (merged row, result)}. Raises Unresolved."""
        out = {}
        for mk, found in self.conflicts(e, after, records).items() if self.resolver else ():
            merged = after.rows[mk]
            base, theirs, mine = ({**merged, **{c: vs[i] for c, vs in found.items()}} for i in range(3))
            result = self.resolver(mk, tuple(sorted(found)), base, theirs, mine)
            if result != merged:
                out[mk] = (merged, result)
        return out

    def breaks(self, results: dict, after: View) -> bool:
        """Whether results take a unique value that another object shows, or refer to what is not there."""
        for mk, (merged, row) in results.items():
            model = self.schema[mk[0]]
            if mk in self.tables and any(
                    after.tuple(mk, i) not in (None, tuple(self.tables[mk][c] for c in index)) and any(
                        w != mk and w in self.tables and tuple(self.tables[w][c] for c in index) == after.tuple(mk, i)
                        for w in after.buckets[mk[0], i, after.tuple(mk, i)]) for i, index in enumerate(model.uniques)):
                return True
            if any(row[c] is not None and row[c] != merged[c] and not after.ok((col.ref, row[c])) for c, col in model.refs):
                return True
        return False

    def results_of(self, results: dict, stamp) -> list:
        return [(mk, self.edits(self.schema[mk[0]], self.records.get(mk, {}), merged, row, stamp), {})
                for mk, (merged, row) in sorted(results.items())]

    def judge(self, e: Entry) -> bool:
        """A hub takes an entry, or refuses all of it: for its program's reasons; because an object that it shows would take a
        unique value that another one has (an insert of such a value is taken, and parked); because it deletes what an
        object refers to by deny."""
        trial = {mk: self.records.get(mk, {}) for mk, _, _ in e.objs}
        shown, records, tombs, hlc, lost = self.tables, dict(self.records), dict(self.tombs), self.hlc, list(self.lost)
        self.absorb(e.objs)
        view = View(self.records, self.schema)
        taken = any(
            view.tuple(mk, i) not in (None, tuple(shown[mk][c] for c in index)) and any(
                w != mk and w in shown and tuple(shown[w][c] for c in index) == view.tuple(mk, i)
                for w in view.buckets[mk[0], i, view.tuple(mk, i)])
            for mk in trial if mk in shown and mk in view.rows for i, index in enumerate(self.schema[mk[0]].uniques))
        denied = any(
            k in shown and col.rule == "deny" and (col.ref, view.rows[k][c]) == mk
            for mk in trial if mk in shown and mk not in view.rows for k in view.kids.get(mk, ())
            for c, col in self.schema[k[0]].cols.items()) and not bug("variant: a hub takes deletes that are denied, and revives")
        accepted = (e.hlc <= self.judges_from and not bug("a restored hub judges again")) or not denied and not (taken and not bug("the hub parks what it showed")) and (
            not self.policy or self.policy(self, e, shown, view.tables()))
        results = {}
        if accepted and e.hlc > self.judges_from:
            try:
                results = self.resolved(e, view, self.records)
                if results:
                    self.absorb(self.results_of(results, (self.hlc + 1, self.rid)), own=True)
                    accepted = not self.breaks(results, View(self.records, self.schema))
            except Unresolved:
                accepted = False
        self.records, self.tombs, self.lost = records, tombs, lost
        e = e._replace(saw=())
        if accepted:
            self.integrate([e])
            if results:  # behind the entry, in the same transaction
                stamp, shown = (self.tick(), self.rid), self.tables
                self.author(self.results_of(results, stamp), stamp)
                self.refresh([*results, *self.keep_visible(shown)])
            return True
        refusal = Refusal(e.origin, e.hlc, e.tag, -next(tags), tuple(trial))
        self.refusals[e.origin] = [*self.refusals.get(e.origin, ()), refusal]
        void = e._replace(objs=(), tag=refusal.void)
        self.vec = {**self.vec, e.origin: (e.hlc, void.tag)}
        self.log.append(void)
        if self.world:
            self.world.refused(self, e, void)
        return False

    def rebase(self, r: Refusal, objects, vec) -> bool:
        """The hub has refused an entry of this replica. Its objects become what they are at the hub, and what this replica
        wrote after it is written again on that. A notice that is older than what the replica knows is dropped."""
        place = next((i for i, e in enumerate(self.log) if (e.origin, e.hlc, e.tag) == (r.origin, r.hlc, r.tag)), None)
        if place is None:
            return True
        if any(self.vec.get(o, (0, 0))[0] != vec.get(o, (0, 0))[0] for o in {**vec, **self.vec} if o not in self.names):
            return False  # exactly what the hub had seen, or its objects would be of another state
        bad, later, last = self.log[place], [], (r.hlc, r.tag)
        for e in self.log[place + 1:]:  # what a copy of this replica has written again follows the void, and is left
            if e.origin == r.origin and (e.prev == last or bug("a refusal renews what a copy has written")):
                later, last = [*later, e], (e.hlc, e.tag)
        others = [e for e in self.log if e.origin in self.names and e.origin != r.origin and e.hlc > vec.get(e.origin, (0,))[0]]
        void, log = bad._replace(objs=(), tag=r.void, saw=()), {}
        born = {b for _, births, _ in bad.objs for b, s in births.items() if s.whole}
        counted: dict = {}  # what the refused entry has counted
        before = dict(bad.before)
        for mk, births, _ in bad.objs:
            for sub in births.values():
                for c, es in sub.counts.items():
                    counted[mk, sub.root, c] = tuple(x - y for x, y in zip(es[r.origin], before[mk, sub.root, c]))[:2]
        prev, renewed = (void.hlc, void.tag), []
        for e in later:
            objs = []
            for mk, births, kills in e.objs:
                out = {}
                for b, sub in births.items():
                    if b in born and not sub.whole:
                        continue
                    counts = {c: {r.origin: tuple(x - y for x, y in zip(es[r.origin], (*counted.get((mk, sub.root, c), (0, 0)), 0)))}
                              for c, es in sub.counts.items()}
                    out[b] = sub._replace(counts=counts)
                objs.append((mk, out, {b: d for b, d in kills.items() if b not in born}))
            less = tuple((k, tuple(x - y for x, y in zip(v, (*counted.get(k, (0, 0)), 0)))) for k, v in e.before)
            new = e._replace(objs=tuple(objs), prev=prev, tag=retag(e.tag, prev), before=less)
            prev = (new.hlc, new.tag)
            renewed.append(new)
            log[e.tag] = new
            if self.world:
                self.world.renamed(self, e, new)
        if self.world:
            self.world.withdrawn(self, bad, void)
        self.log = [void if e is bad else log.get(e.tag, e) for e in self.log]
        self.refused.append(bad)
        shown, records = self.tables, dict(self.records)
        touched = {mk for mk, _, _ in objects} | {mk for mk, _, _ in bad.objs}
        theirs = {mk: (births, graves) for mk, births, graves in objects}
        for mk in sorted(touched):
            births, graves = theirs.get(mk, ({}, {}))
            for b, sub in self.records.get(mk, {}).items():
                if b not in births and b not in born and covers(vec, (), b):  # deleted meanwhile
                    edits = sub._replace(cols={c: x for c, x in sub.cols.items() if x[0][0] != bad.hlc})
                    self.note_lost(mk, b, edits, graves.get(b) or seen_of(edits, vec, ()))
            self.put(mk, births, graves)
        self.vec = {**self.vec, r.origin: max(prev, self.vec[r.origin], key=lambda v: v[0])}
        for e in sorted(renewed + others, key=lambda e: e.hlc):
            self.absorb([o for o in e.objs if o[0] in touched], own=True)
        self.refresh(list(touched))
        if not bug("a refusal leaves a part as it was"):
            self.cursor = 0  # of a part: what the hub said while the refused entry was in the way is said again
        return True

    # -- identity
    def renew(self, name, last, known: dict, floor: int, refusals=()) -> bool:
        """Compares what another replica knows of this one with its own log. Where that is more, or something else, this
        replica was put back or copied: it takes a new name, and so do those of its entries that the other does not know."""
        own, voids, prev = {}, {(h, t): v for h, t, v in refusals}, None  # with the tags that they will have after the refusals
        for e in self.log:
            if e.origin == name:
                tag = retag(e.tag, prev) if prev else e.tag
                if (e.hlc, tag) in voids:
                    tag = voids[e.hlc, tag]
                    prev = (e.hlc, tag)
                elif prev:
                    prev = (e.hlc, tag)
                own[e.hlc] = tag
        mine = self.vec.get(name, (0, 0))
        forked = any(floor < h <= last[0] and known.get(h) != t for h, t in own.items())  # it went on from another entry
        if not forked and (last[0] <= self.floor.get(name, 0) or own.get(last[0]) == last[1] or (
                last[0] > mine[0] and name != self.rid)):
            return False
        # What was trimmed there was taken, but for the last where its tag differs: a refusal that a restored hub forgot.
        shared = [h for h, t in own.items() if known.get(h) == t or (h <= floor and not (h == last[0] and t != last[1]))]
        common = max([self.floor.get(name, 0), *shared])
        if bug("a restored store keeps its name"):
            return False
        self.called(self.world.name(self.rid) if self.world else self.rid + "'")
        self.session, self.resume = next(self.sessions), ()
        self.rename(lambda s: (s[0], self.rid) if s[1] == name and s[0] > common else s, name, common)
        return True

    def called(self, name):
        """Names begin with the first one: the order of two replicas is the same after a renewal, or ties would turn."""
        self.rid, self.names = name, (name, *self.names)

    def restored(self, name):
        """The store was put back, or is a copy: noticed when it was opened, before anything was written."""
        self.called(name)
        self.resume = ()
        if self.hub:
            self.judges_from = (self.clock() + AHEAD) * TICKS

    def heal(self):
        """The clock was far ahead, and others refused: entries that no peer has get new stamps, in their order."""
        limit = (self.clock() + AHEAD) * TICKS
        if self.hlc <= limit:
            return
        sound = [v[0] for v in self.vec.values()] + [e.hlc for e in self.log] + [
            s[0] for births in self.records.values() for b, sub in births.items() for s in stamps_of(b, sub)] + [
            d.stamp[0] for graves in self.tombs.values() for d in graves.values()]
        self.hlc = max([h for h in sound if h <= limit], default=0)
        own = [e for e in self.log if e.origin == self.rid]
        common = max([e.hlc for e in own if e.hlc <= limit], default=self.floor.get(self.rid, 0))
        if self.world:
            self.world.loose.add(self.key)
        fresh = {e.hlc: self.tick() for e in own if e.hlc > common}
        self.rename(lambda s: (fresh[s[0]], s[1]) if s[1] == self.rid and s[0] in fresh else s, self.rid, common)

    def rename(self, f, old, common):
        """Gives other stamps to entries of a name that no peer has. Counts continue from the common count under that name."""
        base: dict = {}
        for e in self.log:
            if e.origin == old and e.hlc > common and self.rid != old and not bug("a new name counts again"):
                for k, v in e.before:
                    base.setdefault(k, v)

        def counts(mk, root, given, records):
            out = {}
            for c, es in given.items():
                out[c] = {}
                for r, e in es.items():
                    (hlc, name), start = f((e[2], r)), base.get((mk, root, c), (0, 0, 0))
                    if name == r:
                        out[c][r] = (e[0], e[1], hlc)
                    else:
                        out[c][name] = (e[0] - start[0], e[1] - start[1], hlc)
                        if start[2] and records:
                            out[c][r] = start
            return out

        def sub(mk, s: Sub, records=True):
            return Sub(f(s.root), s.whole, {c: (f(t), v) for c, (t, v) in s.cols.items()}, counts(mk, s.root, s.counts, records),
                       {c: {x: (n, f(t)) for x, (n, t) in xs.items()} for c, xs in s.sets.items()})

        def death(mk, b, d: Death):
            return Death(f(d.stamp), {c: f(t) for c, t in d.cols.items()}, counts(mk, b, d.counts, True), d.sets)

        def objs(os):
            return tuple((mk, {f(b): sub(mk, s, False) for b, s in births.items()},
                          {f(b): death(mk, b, d) for b, d in kills.items()}) for mk, births, kills in os)

        def before(given):
            less = lambda v, start: (v[0] - start[0], v[1] - start[1], f((v[2], old))[0]) if v[2] > common else (0, 0, 0)
            return tuple(((mk, f(root), c), less(v, base.get((mk, root, c), (0, 0, 0))) if self.rid != old else v)
                         for (mk, root, c), v in given)

        self.records = {mk: {f(b): sub(mk, s) for b, s in births.items()} for mk, births in self.records.items()}
        self.tombs = {mk: {f(b): death(mk, b, d) for b, d in ds.items()} for mk, ds in self.tombs.items()}
        self.lost = [(mk, f(b), c, f(s), v) for mk, b, c, s, v in self.lost]
        last = next((e.prev for e in self.log if e.origin == old and e.hlc > common), self.vec.get(old, (0, 0)))
        self.vec = {**self.vec, old: last}
        log, prev = [], self.vec.get(self.rid, (0, 0)) if self.rid != old else last
        for e in self.log:
            if e.origin == old and e.hlc > common:
                hlc, origin = f((e.hlc, e.origin))
                new = e._replace(origin=origin, hlc=hlc, tag=next(tags), prev=prev, objs=objs(e.objs), before=before(e.before),
                                 saw=tuple((mk, c, s if bug("a new name forgets what was seen") else f(s), v) for mk, c, s, v in e.saw))
                prev = (new.hlc, new.tag)
                if self.world:
                    self.world.renamed(self, e, new)
                log.append(new)
            else:
                log.append(e)
        self.log = log
        if prev[0]:
            self.vec = {**self.vec, self.rid: prev}
        if self.gc.get(old, 0) > common:
            self.gc = {**self.gc, old: common, self.rid: prev[0]}
        self.refresh()

    # -- care
    def trim(self, keep: int, unsent):
        """Forgets the log but its last entries, and but those that no peer has."""
        cut, kept = self.log[:-keep] if keep else self.log, self.log[-keep:] if keep else []
        spared = [e for e in cut if unsent(e)]
        for e in cut:
            if not unsent(e):
                self.floor = join_low(self.floor, {e.origin: e.hlc})
        self.log = [e for e in spared + kept]

    def collect(self):
        """Forgets deletes. Never wrong: replicas that missed them compare everything instead."""
        for mk, graves in list(self.tombs.items()):
            left = {b: d for b, d in graves.items() if not (self.covers(b) and self.covers(d.stamp))
                    and not bug("deletes of unknown births are collected")}
            self.put(mk, self.records.get(mk, {}), left)
        if not bug("collecting leaves no trace"):
            self.gc = join_low(self.gc, {r: v[0] for r, v in self.vec.items()})

    def upgrade(self, schema: Schema):
        self.schema = schema
        self.refresh()


def arrival_tables(shown, view: View) -> dict:
    """A planted fault: the first to arrive stays."""
    out = {mk: view.rows[mk] for mk in shown if mk in view.rows}
    for mk in sorted(view.rows):
        if mk not in out and not problems({**out, mk: view.rows[mk]}, view.schema):
            out[mk] = view.rows[mk]
    while bad := [mk for mk in out if problems({k: v for k, v in out.items() if k == mk or True}, view.schema) and any(
            str(mk) in p for p in problems(out, view.schema))]:
        out.pop(sorted(bad)[-1])
    return out


# ------------------------------------------------------------------------------------------------ 8. Digests
# Both are SHA-256 of bytes: docs/formats/sync.md.

def name_bytes(name: str) -> bytes:
    return varint(len(name.encode())) + name.encode()


def replica_bytes(name: str) -> bytes:
    """The 16 bytes of a replica's id: names of the laws are short, and are padded."""
    return name.encode().ljust(16, b"\0")


def stamp_bytes(stamp) -> bytes:
    return varint(stamp[0]) + replica_bytes(stamp[1])


def counted(things, write) -> bytes:
    things = list(things)
    return varint(len(things)) + b"".join(write(*x) for x in things)


def digest(tables: dict) -> str:
    """The digest of the content: the tables that a program reads."""
    out = b"QSYN content 1"
    for (model, key), row in sorted(tables.items()):
        out += name_bytes(model) + value_bytes(key) + counted(sorted(row.items()), lambda c, v: name_bytes(c) + value_bytes(v))
    return hashlib.sha256(out).hexdigest()


def birth_bytes(birth, sub: Sub) -> bytes:
    return stamp_bytes(birth) + stamp_bytes(sub.root) + bytes([sub.whole]) + counted(
        sorted(sub.cols.items()), lambda c, r: name_bytes(c) + stamp_bytes(r[0]) + value_bytes(r[1])) + counted(
        sorted(sub.counts.items()), lambda c, es: name_bytes(c) + counted(
            sorted(es.items()), lambda r, e: replica_bytes(r) + b"".join(map(varint, e)))) + counted(
        sorted(sub.sets.items()), lambda c, xs: name_bytes(c) + counted(
            sorted(xs.items()), lambda x, e: value_bytes(x) + varint(e[0]) + stamp_bytes(e[1])))


def agreement(records: dict) -> str:
    """The digest of the records: equal where stores have the same content, hold the same, and will decide alike."""
    out = b"QSYN agreement 1"
    for (model, key), births in sorted(records.items()):
        out += name_bytes(model) + value_bytes(key) + counted(sorted(births.items()), birth_bytes)
    return hashlib.sha256(out).hexdigest()
