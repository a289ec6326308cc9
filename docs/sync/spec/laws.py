"""The laws of sync, checked on random histories.

    python3 laws.py PROFILE HISTORIES [SEED] [--steps N] [--jobs N]     profiles: see PROFILES; `all` runs each
    python3 laws.py PROFILE --replay 'STEPS'                            one history, for looking at it

A history is a list of steps made of small numbers, each of which means something in every state; so any part of a
failing history can be left out, and `shrink` does that until nothing can be left out any more.
"""
from __future__ import annotations
import argparse, copy, itertools, os, random, sys, time, traceback
from concurrent.futures import ProcessPoolExecutor
from sync_spec import *
import sync_spec

# ------------------------------------------------------------------------------------------------ The models
C = Col
V1 = Schema(
    Model("Team", 0, dict(name=C(optional=False), motto=C(), seats=C("counter", 0)), uniques=(("name",),)),
    Model("Folder", 0, dict(tag=C(optional=False), parent=C(ref="Folder", rule="cascade")), uniques=(("tag",),)),
    Model("User", 1, dict(nick=C(optional=False), mail=C(), team=C(optional=False, ref="Team", rule="cascade"),
                          boss=C(ref="User", rule="nullify")), uniques=(("nick",), ("mail",))),
    Model("Task", 2, dict(owner=C(optional=False, ref="User", rule="deny"), slot=C(optional=False, default=0), title=C(),
                          start=C(default=0), stop=C(default=0), best=C("max", 0, False), votes=C("counter", 0),
                          labels=C("set", ())),
          uniques=(("owner", "slot"),), groups=(("start", "stop"),)),
    Model("Card", 2, dict(user=C(ref="User", rule="nullify"), note=C()), uniques=(("user",),)),
    Model("Seat", 3, dict(owner=C(optional=False, ref="Task", rule="cascade"),  # a link: its key is made of both sides
                          target=C(optional=False, ref="User", rule="cascade"), pos=C(default=""))),
)
V2 = Schema(*[m for m in V1.values() if m.name not in ("Team", "Task")],
            Model("Team", 0, dict(name=C(optional=False), seats=C("counter", 0)), uniques=(("name",),)),
            Model("Task", 2, {**V1["Task"].cols, "prio": C(default=1), "label": C(derive=("title", lambda v: f"<{v}>"))},
                  uniques=(("owner", "slot"),), groups=(("start", "stop"),)),
            Model("Note", 3, dict(task=C(ref="Task", rule="cascade"), text=C(), likes=C("counter", 0))))
V3 = Schema(*V1.values(), Model("Purse", 0, dict(sum=C(default=0, optional=False), note=C())))  # its sum is resolved
know(V1), know(V2), know(V3)


class Broken(AssertionError):
    pass


# ------------------------------------------------------------------------------------------------ The world
class World:
    """Replicas, a clock, and an observer that sees everything and checks the laws."""

    def __init__(self, profile: dict):
        self.p, self.now, self.names = profile, 10, itertools.count()
        self.entries, self.deps, self.seen, self.voids, self.mapped = {}, {}, {}, set(), {}
        self.partials, self.dirty, self.last, self.saved, self.delayed, self.inferred = set(), set(), {}, {}, {}, set()
        self.count = dict(commits=0, refused=0, checks=0, cuts=0, authored=0, repairs=0, looked=0, rows=0)
        self.replicas, self.skews = [], {}
        self.steps: dict = {}  # what each entry counted: {tag: {(object, column): (birth, difference)}}
        self.voided: set = set()  # stamps of refused entries
        self.loose, self.gone, self.tag0 = set(), set(), next(sync_spec.tags)
        self.deltas: dict = {}  # what each entry added to sums: {tag: {object: difference}}
        self.mixed: set = set()  # objects that were inserted twice: sums are of one insert
        self.vague: set = set()  # entries whose author was in the middle of rows
        self.unnoticed = False  # whether a copy was: then the hub is not put back too, and the other way round (SYNC-5)
        for i in range(profile.get("replicas", 3)):
            self.add(Replica(self.name(), V3 if profile.get("resolve") else V1, None, hub=profile.get("hub", False) and i == 0))
            self.replicas[i].has_hub = profile.get("hub", False) and i > 0
        if profile.get("policy"):
            self.replicas[0].policy = policy
        if profile.get("resolve"):
            self.replicas[0].resolver = sum_of_changes
            for r in self.replicas[1:]:
                r.resolves = ("Purse",)
        if profile.get("scope"):
            for i, r in enumerate(self.replicas[1:]):
                r.scope = part_of(i)

    def name(self, old=""):
        return f"{old.split('.')[0]}.{next(self.names)}" if old and not bug("a new name has another place") else f"r{next(self.names)}"

    def add(self, r: Replica):
        r.world, key = self, len(self.replicas)
        r.key = key
        self.skews[key] = 0
        r.clock = lambda: max(0, self.now + self.skews[key])
        self.replicas.append(r)
        self.seen[key] = set()

    # -- what replicas tell
    def authored(self, r, e):
        self.count["authored"] += 1
        self.count["repairs"] += e.repair
        self.entries[e.tag], self.deps[e.tag] = e, frozenset(self.seen[r.key])
        for k, (p, m, _) in e.before:
            now = next(s.counts[k[2]][r.rid] for mk, births, _ in e.objs if mk == k[0] for s in births.values() if s.root == k[1])
            self.steps.setdefault(e.tag, {})[k[0], k[2]] = (k[1], now[0] - now[1] - p + m)
        if r.key in self.partials or r.key in self.dirty:
            self.vague.add(e.tag)
        self.seen[r.key] = self.seen[r.key] | {e.tag}

    def compared(self, hub, e, mk, c, stamp, is_conflict):
        """SEEN: a hub finds a conflict where the author had not seen the entry that wrote the hub's value, or had seen one that the
        hub refused instead, and nowhere else. (Of an object that was inserted twice, the insert that shows may have been deleted.)"""
        tags = [t for t, x in self.entries.items() if (x.hlc, x.origin) == stamp and x.objs]
        if len(tags) != 1 or e.tag in self.vague or mk in self.mixed or stamp == ZERO:
            return
        self.count["conflicts"] = self.count.get("conflicts", 0) + is_conflict
        had_seen = tags[0] in self.deps[e.tag] and not any((m, x) == (mk, c) and s in self.voided for m, x, s, _ in e.saw)
        if is_conflict == had_seen:
            raise Broken(f"SEEN {hub.rid}: {mk}.{c} of {e} is {'a' if is_conflict else 'no'} conflict with {self.entries[tags[0]]}")

    def took(self, r, e):
        if r.hub and e.objs:
            self.voided.discard((e.hlc, e.origin))  # it was refused, but a hub that was put back takes it
        if not e.hollow:
            self.seen[r.key] = self.seen[r.key] | {e.tag}

    def surprised(self, r, e):
        raise Broken(f"STAMPS {r.rid}: {e} contains a stamp that is later than its own")

    def refused(self, hub, e, void):
        self.count["refused"] += 1
        self.voided.add((e.hlc, e.origin))
        self.entries[void.tag], self.deps[void.tag] = void, self.deps[e.tag]
        self.gone.add(e.tag)
        self.seen[hub.key] = self.seen[hub.key] | {void.tag}

    def withdrawn(self, r, bad, void):
        self.mapped[bad.tag] = void.tag
        self.seen[r.key] = self.seen[r.key] - {bad.tag} | {void.tag}
        self.loose.add(r.key)
        self.partials.add(r.key)  # its objects are ahead of its vector until it has taken the log

    def renamed(self, r, old, new):
        self.mapped[old.tag] = new.tag
        self.entries[new.tag] = new
        if old.tag in self.steps:  # births have other stamps under another name
            at = {(k[0], k[2]): k[1] for k, _ in new.before}
            self.steps[new.tag] = {k: (at[k], d) for k, (_, d) in self.steps[old.tag].items() if k in at}
        if old.tag in self.deltas:
            self.deltas[new.tag] = self.deltas[old.tag]
        if old.tag in self.vague:
            self.vague.add(new.tag)
        self.deps[new.tag] = frozenset(self.mapped.get(t, t) for t in self.deps[old.tag])
        self.seen[r.key] = self.seen[r.key] - {old.tag} | {new.tag}
        self.loose.add(r.key)

    def partial(self, r):
        self.partials.add(r.key)

    def proof(self, r):
        return self.seen[r.key], r.key in self.dirty or r.key in self.partials

    def ended(self, r, proof, resumed):
        self.seen[r.key] = self.seen[r.key] | proof[0]
        self.partials.discard(r.key)
        if proof[1] or resumed:  # later rows are of a later state than the vector
            self.dirty.add(r.key)
            self.count["resumed"] = self.count.get("resumed", 0) + resumed

    # -- laws of every moment
    def committed(self, r):
        self.count["commits"] += 1
        if bad := problems(r.tables, r.schema):
            raise Broken(f"INTEGRITY {r.rid}: {bad}")
        links = [(row["owner"], row["target"]) for mk, row in r.tables.items() if mk[0] == "Seat"]
        if len(links) != len(set(links)):
            raise Broken(f"LINKS {r.rid}: an object is in a list twice: {links}")
        if r.key != self.p.get("bad") and r.hlc > (self.now + 30 + AHEAD) * TICKS + 999:
            raise Broken(f"POISON {r.rid}: the clock was moved to {r.hlc} at {self.now}")
        if r.tables != r.view.tables():
            raise Broken(f"VIEW {r.rid}: the tables are not the view: {diff(r.tables, r.view.tables())}")
        if r.scope:
            for e in r.log:
                if e.origin in r.names and e.tag not in self.seen[0] and e.tag not in self.gone and any(
                        b in r.records.get(mk, {}) for mk, _, kills in e.objs for b in kills):
                    raise Broken(f"WRITES {r.rid}: what {e} has deleted is there again")
        if self.p.get("resolve"):
            self.mixed |= {mk for mk, births in r.records.items() if len(births) > 1}
        before = self.last.get(r.key)
        if before and r.key not in self.loose:
            self.monotone(r, *before)
            if not r.has_hub and not r.judges_from:
                self.deny(r, before[0], before[3])
            if r.hub and not r.judges_from:
                self.stable(r, before[3], before[4])
        self.loose.discard(r.key)
        self.last[r.key] = (dict(r.records), dict(r.vec), r.hlc, r.tables, r.view)

    def monotone(self, r, records, vec, hlc, _, __):
        if r.hlc < hlc or any(r.vec.get(x, (0,))[0] < v[0] for x, v in vec.items()):
            raise Broken(f"MONOTONE {r.rid}: a clock or vector went back")
        if r.scope:
            return
        for mk, births in records.items():
            now = r.records.get(mk, {})
            if now is births:
                continue
            for b, sub in births.items():
                if b in now:
                    if join_sub(mk[0], sub, now[b]) != now[b]:
                        raise Broken(f"MONOTONE {r.rid}: {mk} {b} went back")
                elif b not in r.tombs.get(mk, {}) and not r.known(mk, b):
                    raise Broken(f"MONOTONE {r.rid}: {mk} {b} is gone without a trace")

    def stable(self, r, tables, view):
        """HUB: an object that is visible at the hub is never hidden by a unique index."""
        for mk in tables:
            if mk in r.view.rows and mk not in r.tables:
                for a in [mk, *r.view.needs(mk)]:
                    for i in range(len(r.schema[a[0]].uniques)):
                        if a in tables and a in r.view.rows and r.schema[a[0]].blank(i) is None and r.view.lost(a, i) \
                                and r.view.tuple(a, i) == view.tuple(a, i) and r.view.ok_refs(a, INF):
                            raise Broken(f"HUB {r.rid}: {mk} was evicted: {a} lost {i} to {r.view.lost(a, i)}")

    def deny(self, r, records, tables):
        """DENY: a merge hides no object that is visible because what it refers to by deny was deleted."""
        for mk, row in tables.items():
            if mk in r.view.rows and mk not in r.tables and any(
                    col.rule == "deny" and row.get(c) is not None and row[c] == r.view.rows[mk][c]
                    and (col.ref, row[c]) not in r.view.rows for c, col in r.schema[mk[0]].cols.items()):
                undone = {**{t: records[t] for t in tables if t not in r.records and t in records}, **r.records}
                if View(undone, r.schema).ok(mk):
                    raise Broken(f"DENY {r.rid}: {mk} is hidden, because what it refers to was deleted")

    def wrote(self, r, work, entry):
        """READ-YOUR-WRITES: what a local transaction has written is in the tables when it has committed."""
        self.deltas[entry.tag] = {mk: row["sum"] - work.before.get(mk, {"sum": 0})["sum"] for mk, row in work.rows.items() if mk[0] == "Purse"}
        for mk, row in work.rows.items():
            was = work.before.get(mk)
            if was != row:
                now = r.tables.get(mk)
                if now is None or any(now[c] != v for c, v in row.items() if was is None or was[c] != v):
                    raise Broken(f"WRITES {r.rid}: {mk} was written as {row} and is {now}")
        for mk, births, kills in entry.objs:
            if mk in work.before and mk in work.rows and not kills:
                changed = {c for c, v in work.rows[mk].items() if work.before[mk][c] != v}
                groups = {c for g in r.schema[mk[0]].groups if changed & set(g) for c in g}
                if extra := {c for sub in births.values() for c in sub.cols} - changed - groups:
                    raise Broken(f"WRITES {r.rid}: {mk}.{extra} was stamped and not written")
        for mk, births, _ in entry.objs:
            if mk in work.seeds and any(s != ZERO for sub in births.values() if sub.whole for s, _ in sub.cols.values()):
                raise Broken(f"SEED {r.rid}: {mk} is a seed, and would win over an edit")
        for mk in work.before:
            if mk not in work.rows and mk in r.records and mk in r.tables:
                raise Broken(f"WRITES {r.rid}: {mk} was deleted and is there")

    # -- laws of a state
    def content(self, tag, rid):
        return self.entries[tag].objs

    def cut(self, r):
        """CUT: the records are the join of whole transactions, and with each of those whose effects its author had seen."""
        if r.key in self.partials or r.key in self.dirty or r.scope:
            return
        self.count["cuts"] += 1
        seen = self.seen[r.key]
        known = {(e.origin, e.hlc) for e in r.log if e.hollow} | set(r.holes)
        for t in seen:
            for d in self.deps[t] - seen:
                e = self.entries[d]
                if (e.origin, e.hlc) not in known and d not in self.gone and d not in self.mapped and e.objs:
                    raise Broken(f"CUT {r.rid}: knows {self.entries[t]} and not {e}, which came before")
        want = self.join(seen, r.rid)
        if want != r.records:
            raise Broken(f"CUT {r.rid}: records are not those of its transactions: {diff(r.records, want)}")
        if not r.holes:
            self.serial(r, seen)

    def join(self, seen, rid):
        records, dead = {}, set()
        for t in sorted(seen, key=lambda t: (self.entries[t].hlc, self.entries[t].origin)):
            for mk, births, kills in self.content(t, rid):
                mine = records.setdefault(mk, {})
                for b in kills:
                    dead.add((mk, b))
                    mine.pop(b, None)
                for b, sub in births.items():
                    if (mk, b) not in dead:
                        mine[b] = join_sub(mk[0], mine[b], sub) if b in mine else sub
        for births in records.values():  # edits of what was born in a refused entry, by a copy of its author
            for b in [b for b, sub in births.items() if b in self.voided and not sub.whole]:
                del births[b]
        return {mk: births for mk, births in records.items() if births}

    def serial(self, r, seen):
        """SERIAL: plain columns are what the transactions leave when they run one after another in the order of their
        stamps, each writing blindly what it wrote, where an update of what is gone does nothing."""
        state = {}
        for t in sorted(seen, key=lambda t: (self.entries[t].hlc, self.entries[t].origin)):
            for mk, births, kills in self.content(t, r.rid):
                for b in kills:
                    state.pop((mk, b), None)
                for b, sub in births.items():
                    if sub.whole:
                        state[mk, b] = {}
                    if (mk, b) in state:
                        for c, (s, v) in sub.cols.items():
                            if KINDS.get((mk[0], c)) == "lww" and (s != ZERO or c not in state[mk, b]):
                                state[mk, b][c] = v
        for mk, births in r.records.items():
            for b, sub in births.items():
                want = {c: v for c, (_, v) in sub.cols.items() if KINDS.get((mk[0], c)) == "lww"}
                if sub.whole and state.get((mk, b)) != want:
                    raise Broken(f"SERIAL {r.rid}: {mk} {b} is {want}, one after another gives {state.get((mk, b))}")

    # -- the end
    def settle(self):
        self.delayed = {}
        for key in self.skews:
            self.skews[key] = 0
        self.now += 1
        if self.p.get("hub"):
            pairs = [p for r in self.replicas[1:] for p in ((self.replicas[0], r), (r, self.replicas[0]))]
        else:
            pairs = list(itertools.permutations(self.replicas, 2))
        for r in self.replicas:
            r.upgrade(self.replicas[0].schema if not self.p.get("schema") else V2)
            r.heal()
        if self.p.get("left"):
            self.without(self.replicas[self.rng.randrange(len(self.replicas))])
        self.rest(pairs)
        self.dirty.clear(), self.partials.clear()
        for r in self.replicas:
            there = {(self.entries[t].origin, self.entries[t].hlc) for o in self.replicas for t in self.seen[o.key]}
            if r.holes & there:
                raise Broken(f"PROGRESS {r.rid}: holes {r.holes}")
        first = self.replicas[0]
        for r in self.replicas[1:]:
            if r.scope:
                self.partly(first, r)
            elif r.records != first.records:
                raise Broken(f"CONVERGENCE records of {r.rid} and {first.rid}: {diff(r.records, first.records)}")
            elif digest(r.tables) != digest(first.tables):
                raise Broken(f"CONVERGENCE tables of {r.rid} and {first.rid}: {diff(r.tables, first.tables)}")
        if not self.p.get("scope"):
            for r in self.replicas:
                self.cut(r)
                if r.view.tables() != View(self.join(self.seen[r.key], None if self.voids else r.rid), r.schema).tables():
                    raise Broken(f"CONVERGENCE {r.rid}: the tables are not the view of what was written")
            self.silent(pairs)
            self.nothing_lost()
            self.counted()
            if self.p.get("resolve"):
                self.summed()
        if self.p.get("check_deny", True) and not self.p.get("scope"):
            self.denied()

    def rest(self, pairs):
        """Sessions without faults, until nothing changes."""
        for _ in range(14):
            self.rng.shuffle(pairs)
            before = self.state()
            for dst, src in pairs:
                self.session(dst, src)
            if before == self.state():
                if not any(r.waits for r in self.replicas):
                    return
                self.later()
        raise Broken("REST: the replicas do not come to rest")

    def later(self):
        """Rows that were cut are not waited for any longer."""
        self.now += PATIENCE

    def without(self, gone):
        """LEFT: the others agree where one replica is away for ever, though it has sent a part of an answer of rows."""
        others = [r for r in self.replicas if r is not gone]
        pairs = list(itertools.permutations(others, 2))
        self.rest(pairs)
        self.count["unfinished"] = self.count.get("unfinished", 0) + any(r.resume for r in others)
        for a, b in zip(others, others[1:]):
            if a.records != b.records:
                raise Broken(f"LEFT records of {a.rid} and {b.rid}: {diff(a.records, b.records)}")
            if digest(a.tables) != digest(b.tables):
                raise Broken(f"LEFT tables of {a.rid} and {b.rid}: {diff(a.tables, b.tables)}")
        self.silent(pairs)

    def silent(self, pairs):
        """ECHO: at rest nothing is sent."""
        for dst, src in pairs:
            sent = [m for m in src.serve(dst.hello()) if m[1] in ("log", "rows")]
            if sent and not dst.holes:  # while a hole is open, it is sent everything that may contain its content
                raise Broken(f"ECHO: {src.rid} sends {dst.rid} at rest: {sent[:3]}")

    def state(self):
        return [(r.rid, r.records, r.vec, r.holes, r.tables) for r in self.replicas]

    def counted(self):
        """COUNT: a counter is the sum of what its entries counted, each once."""
        r, sums, single = self.replicas[0], {}, {}
        for t in self.seen[r.key]:
            for (mk, c), (b, d) in self.steps.get(t, {}).items():
                sums[mk, b, c] = sums.get((mk, b, c), 0) + d
                single[mk, t, c] = d
        for mk, births in r.records.items():
            for c, col in r.schema[mk[0]].cols.items():
                if col.kind == "counter" and any(s.root != b for b, s in births.items()):  # revived
                    ds = [d for (k, _, x), d in single.items() if k == mk and x == c]
                    if not sum(d for d in ds if d < 0) <= r.view.rows.get(mk, {c: 0})[c] <= sum(d for d in ds if d > 0):
                        raise Broken(f"COUNT {r.rid}: {mk}.{c} was revived and is {r.view.rows[mk][c]} of {ds}")
            if all(s.root == b and s.whole for b, s in births.items()):
                for c, col in r.schema[mk[0]].cols.items():
                    want = sum(sums.get((mk, b, c), 0) for b in births)
                    if col.kind == "counter" and r.view.rows[mk][c] != want:
                        raise Broken(f"COUNT {r.rid}: {mk}.{c} is {r.view.rows[mk][c]}, and {want} was counted")

    def summed(self):
        """SUM: where the hub's program adds up the changes of both sides, a plain column is what all accepted entries have added,
        each once."""
        r, sums = self.replicas[0], {}
        for t in self.seen[r.key]:
            for mk, births, _ in self.entries[t].objs:
                if mk[0] != "Purse" or t not in self.deltas:
                    continue
                for b in births:
                    sums[mk, b] = sums.get((mk, b), 0) + self.deltas[t].get(mk, 0)
        for mk, births in r.records.items():
            if mk[0] == "Purse" and len(births) == 1 and mk not in self.mixed:
                self.count["sums"] = self.count.get("sums", 0) + 1
                if r.view.rows[mk]["sum"] != sums[mk, *births]:
                    raise Broken(f"SUM {r.rid}: {mk} is {r.view.rows[mk]['sum']}, and {sums[mk, *births]} was added")

    def nothing_lost(self):
        """NOTHING LOST: what was written is in a table or held, or a greater stamp overwrote it, or its delete had seen it."""
        final, seen = self.replicas[0].records, self.seen[self.replicas[0].key]
        deaths, latest, lost = {}, {}, {(mk, b, c, s) for r in self.replicas for mk, b, c, s, _ in r.lost}
        for t in seen:
            for mk, births, kills in self.content(t, None):
                for b, d in kills.items():
                    deaths.setdefault((mk, b), []).append(d)
                for b, sub in births.items():
                    for c, (s, _) in sub.cols.items():
                        latest[mk, b, c] = max(latest.get((mk, b, c), ZERO), s)
        for r in self.replicas:
            for mk, b, c, s, _ in r.lost:
                ds = deaths.get((mk, b), ())
                collected = any(d.stamp[0] <= r.gc.get(d.stamp[1], 0) for d in ds)  # then it cannot know, and holds rather too much
                if KINDS.get((mk[0], c)) == "lww" and ds and b not in self.voided and all(d.cols.get(c, ZERO) >= s for d in ds) and not (
                        (mk, b) in self.inferred or collected):
                    raise Broken(f"HELD {r.rid}: {mk} {b}.{c} is held, though its delete had seen it")
        for mk, births in final.items():
            for b, sub in births.items():
                if mk[0] == "Task" and sub.whole and sub.cols["start"][0] != sub.cols["stop"][0]:
                    raise Broken(f"GROUP: {mk} has a start and a stop of two transactions")
        names = {r.rid for r in self.replicas}
        for t in seen:
            e = self.entries[t]
            if e.repair or e.origin not in names:
                continue
            for mk, births, _ in self.content(t, None):
                if any(b in final.get(mk, {}) for b in births):
                    continue  # alive: CUT has shown that it is there or written over
                for b, sub in births.items():
                    if (mk, b) in self.inferred:
                        continue  # its delete was collected: an edit that the sender had seen counts as seen by the delete
                    for c, (s, v) in sub.cols.items():
                        if s == ZERO or KINDS.get((mk[0], c)) != "lww" or latest[mk, b, c] > s:
                            continue
                        if any(d.cols.get(c, ZERO) >= s for d in deaths.get((mk, b), ())):
                            continue
                        if (mk, b, c, s) not in lost:
                            raise Broken(f"NOTHING LOST: {mk} {b}.{c} = {v} of {e.origin} is nowhere; lost has {lost}")

    def denied(self):
        """DENY: no object is hidden because something that it refers to by deny was deleted, while its author is here."""
        r = self.replicas[0]
        for mk, row in r.view.rows.items():
            for c, col in r.schema[mk[0]].cols.items():
                t = (col.ref, row[c])
                if col.rule == "deny" and row[c] is not None and t not in r.view.rows and not r.tables.get(mk):
                    self.count["denied"] = self.count.get("denied", 0) + 1

    def partly(self, hub, r):
        """SCOPE: the tables are those of the hub, as far as the scope goes; references that lead out of it are nil."""
        inside = hub.part(r.scope)
        want = {}
        for mk in inside:
            row = dict(hub.tables[mk])
            for c, col in hub.schema[mk[0]].cols.items():
                if col.ref and row[c] is not None and (col.ref, row[c]) not in inside:
                    row[c] = None
            want[mk] = row
        if want != r.tables:
            raise Broken(f"SCOPE {r.rid}: {diff(r.tables, want)}")

    # -- sessions
    def session(self, dst, src, *args):
        self.exchange(dst, src, *args)
        if dst is not src and (src.hub or not self.p.get("hub")) and dst.key in self.partials and all(v[0] <= dst.vec.get(o, (0,))[0] for o, v in src.vec.items()):
            self.partials.discard(dst.key)

    def exchange(self, dst, src, fault=0, n=0, size=1):
        if dst is src or (self.p.get("hub") and not dst.hub and not src.hub):
            return
        h = dst.hello()
        waits = src.waits
        messages = src.serve_part(h, dst.cursor, dst.scope) if dst.scope else src.serve(h)
        if fault == 0:
            before = dst.session
            dst.receive(h.session, messages, size)
            if not dst.holes and not h.resume and dst.session == before and not dst.hub and not self.p.get("poison") and not dst.scope and not waits:
                missing = [e for e in src.log if not dst.covers((e.hlc, e.origin))]
                if missing:
                    raise Broken(f"PROGRESS {dst.rid}: has not taken {missing[0]} from {src.rid}")
        elif fault == 1:
            return
        elif fault == 2:
            dst.receive(h.session, messages, size)
            before = (dst.records, dst.tombs, dst.vec, dst.tables, len(dst.log))
            if before[0] is not None and dst.session == h.session:
                dst.receive(h.session, messages, size)
                if before != (dst.records, dst.tombs, dst.vec, dst.tables, len(dst.log)):
                    raise Broken(f"IDEMPOTENCE {dst.rid}: a second time the same messages change something")
        elif fault == 3:
            part = messages[:n % (len(messages) + 1)]
            dst.receive(h.session, part, size)
            if any(m[1] == "rows" for m in part) and len(part) < len(messages):
                self.dirty.add(dst.key)
                self.partials.discard(dst.key)
        elif fault == 4:
            self.delayed.setdefault(dst.key, []).append((h.session, messages))
        elif fault == 5 and self.delayed.get(dst.key):
            session, late = self.delayed[dst.key].pop(n % len(self.delayed[dst.key]))
            dst.receive(session, late, size)
        elif fault == 6:
            logs = [i for i, m in enumerate(messages) if m[1] == "log" and not m[2][0].hollow]
            if logs and not self.p.get("hub"):
                i = logs[n % len(logs)]
                messages[i] = (i, "log", [messages[i][2][0]._replace(objs=(), hollow=True)])
            dst.receive(h.session, messages, size)
        elif fault == 7:
            messages = list(messages)
            random.Random(n).shuffle(messages)
            dst.receive(h.session, messages, size)
            if any(m[1] == "rows" for m in messages):
                self.dirty.add(dst.key)
                self.partials.discard(dst.key)
        else:
            dst.receive(h.session, messages, size)

    # -- steps
    def step(self, s):
        kind, args = s[0], s[1:]
        pick = lambda i: self.replicas[i % len(self.replicas)]
        if kind == "tx":
            r = pick(args[0])
            r.transact(self.ops(r, args[1]))
        elif kind == "pull":
            self.session(pick(args[0]), pick(args[1]), args[2], args[3], 1 + args[4] % 3)
        elif kind == "time":
            self.now += args[0]
        elif kind == "skew":
            self.skews[pick(args[0]).key] = args[1]
        elif kind == "trim":
            r = pick(args[0])
            others = [o for o in (self.replicas[:1] if self.p.get("hub") else self.replicas) if o is not r]
            r.trim(args[1], lambda e: not any(e.tag in self.seen[o.key] for o in others))  # what a peer has acknowledged
        elif kind == "collect":
            pick(args[0]).collect()
        elif kind == "save":
            r = pick(args[0])
            self.saved[r.key] = self.snapshot(r)
        elif kind == "restore":
            r = pick(args[0])
            if r.key in self.saved and not (r.hub and (self.unnoticed or self.p.get("client"))):
                self.restore(r, self.saved[r.key], late=args[1] and not r.hub)
        elif kind == "clone" and len(self.replicas) < 5:
            r = pick(args[0])
            if not r.hub:
                copyof = Replica(r.rid, r.schema, None)
                self.add(copyof)
                self.restore(copyof, self.snapshot(r), late=args[1])
        elif kind == "upgrade" and self.p.get("schema"):
            pick(args[0]).upgrade(V2)
        elif kind == "heal":
            r = pick(args[0])
            self.skews[r.key] = 0
            r.heal()

    FIELDS = "has_hub rid names schema hub hlc cursor why blanks seq touched resume nameless records tombs vec holes log floor gc tables view lost refused refusals judges_from scope policy resolver resolves".split()

    def snapshot(self, r):
        kept = {f: getattr(r, f) for f in self.FIELDS}
        for f in ("records", "tombs", "log", "floor", "gc", "lost", "refused", "refusals"):
            kept[f] = copy.copy(kept[f])
        return kept, self.seen[r.key], r.key in self.dirty, r.key in self.partials

    def restore(self, r, saved, late):
        kept, seen, dirty, partial = saved
        late = late and self.p.get("late") and not any(o.judges_from for o in self.replicas)
        self.unnoticed = self.unnoticed or late
        for f, v in kept.items():
            setattr(r, f, copy.copy(v) if f in ("records", "tombs", "log", "floor", "gc", "lost", "refused", "refusals") else v)
        r.session = next(Replica.sessions)
        self.seen[r.key] = seen
        self.dirty.add(r.key) if dirty else self.dirty.discard(r.key)
        self.partials.add(r.key) if partial else self.partials.discard(r.key)
        self.last.pop(r.key, None)
        self.delayed.pop(r.key, None)
        if not late and not bug("a restored store keeps its name"):
            r.restored(self.name(r.rid))
        self.count["restored"] = self.count.get("restored", 0) + 1

    def ops(self, r, codes):
        out, rows = [], r.tables
        for kind, m, k, a, b in codes:
            model = r.schema[list(r.schema)[m % len(r.schema)]]
            mk, here = (model.name, k % 4), sorted(x for x in rows if x[0] == model.name)
            any_of = lambda name, i: (sorted(x[1] for x in rows if x[0] == name) or [None])[
                i % max(1, sum(x[0] == name for x in rows))]
            value = lambda c, col, i: any_of(col.ref, i) if col.ref else i % 4 if col.kind in ("lww", "max") else \
                i % 3 if col.kind == "counter" else tuple(x for x in range(3) if i >> x & 1)
            row = {c: value(c, col, a + j * b) for j, (c, col) in enumerate(model.cols.items())}
            if any(row[c] is None and not col.optional for c, col in model.cols.items()):
                continue
            if model.name == "Seat":
                mk = ("Seat", f"{row['owner']}/{row['target']}") if not bug("links have no identity") else (
                    "Seat", f"{r.rid}.{r.hlc}")
                row["pos"] = f"p{a % 4}"
            if kind in (0, 8) and mk not in rows:
                out.append(("insert", mk, row, kind == 8))
            elif kind == 2 and here:
                out.append(("delete", here[k % len(here)]))
            elif kind == 3 and len(here) > 1 and model.uniques:
                x, y = here[k % len(here)], here[(k + 1) % len(here)]
                c = model.uniques[0][-1]
                out += [("update", x, {c: rows[y][c]}), ("update", y, {c: rows[x][c]})]
            elif kind == 7 and here:
                out += [("delete", here[k % len(here)]), ("insert", here[k % len(here)], row)] if model.name != "Seat" else []
            elif here:
                x, cols = here[k % len(here)], list(model.cols.items())
                c, col = cols[a % len(cols)]
                if c == "sum":
                    out.append(("update", x, {c: rows[x][c] + b - 3}))
                    continue
                if model.name == "Seat":
                    c, col = "pos", model.cols["pos"]
                if col.kind == "counter":
                    out.append(("update", x, {c: rows[x][c] + b % 5 - 1}))
                elif col.kind == "set":
                    out.append(("update", x, {c: tuple(sorted(set(rows[x][c]) ^ {b % 3}))}))
                elif not (col.ref and any_of(col.ref, b) is None and not col.optional):
                    v = value(c, col, b)
                    out.append(("update", x, {c: None if col.optional and b % 7 == 6 and col.kind == "lww" else v}))
        return out


def policy(hub, entry, before, after):
    """Refuses entries that make a team's motto 3, more than two votes, a best of 3, or delete the team 0."""
    for mk in after:
        if mk[0] == "Team" and after[mk].get("motto") == 3 and before.get(mk, {}).get("motto") != 3:
            return False
        if mk[0] == "Task" and after[mk]["votes"] > 2 and before.get(mk, {"votes": 0})["votes"] < after[mk]["votes"]:
            return False
        if mk[0] == "Task" and after[mk]["best"] == 3 and before.get(mk, {"best": 0})["best"] != 3:
            return False
    return not (("Team", 0) in before and ("Team", 0) not in after)


def sum_of_changes(mk, columns, base, theirs, mine):
    """Adds what both sides have added, leaves notes to the later one, and refuses 13."""
    if "sum" not in columns:
        return mine if mine == theirs else {**mine, "note": None}
    total = theirs["sum"] + mine["sum"] - base["sum"]
    if total == 13:
        raise Unresolved
    return {**mine, "sum": total}


def part_of(n):
    """The part of the nth replica: tasks in even or odd slots, cards and folders, users with a mail address."""
    return lambda mk, row: (mk[0] == "Task" and row["slot"] % 2 == n % 2) or mk[0] in ("Card", "Folder") or (
        mk[0] == "User" and row["mail"] == n)


def diff(a, b):
    return {k: (a.get(k), b.get(k)) for k in {**a, **b} if a.get(k) != b.get(k)}


# ------------------------------------------------------------------------------------------------ Histories
CALM = [0] * 8
PROFILES = {
    "p2p": dict(replicas=3, faults=True),
    "gc": dict(replicas=3, faults=True, gc=True),
    "hubgone": dict(replicas=3, hub=True, faults=True, gc=True, restore=True, gone=True),
    "cut": dict(replicas=3, faults="cut", gc=True),
    "left": dict(replicas=4, faults="cut", gc=True, left=True),
    "hubcut": dict(replicas=3, hub=True, faults="cut", gc=True),
    "hub": dict(replicas=4, hub=True, faults=True, gc=True),
    "restore": dict(replicas=3, faults=True, gc=True, restore=True),
    "hubrestore": dict(replicas=3, hub=True, faults=True, gc=True, restore=True, late=True),
    "twins": dict(replicas=3, hub=True, faults=True, restore=True, late=True, twins=True),
    "poison": dict(replicas=3, hub=True, faults=True, poison=True),
    "poisonrows": dict(replicas=3, faults=True, gc=True, poison=True),
    "schema": dict(replicas=3, faults=True, gc=True, schema=True),
    "auth": dict(replicas=3, hub=True, policy=True, faults=True),
    "resolve": dict(replicas=4, hub=True, policy=True, faults=True, gc=True, resolve=True),
    "resolverestore": dict(replicas=3, hub=True, faults=True, resolve=True, restore=True, late=True, client=True),
    "part": dict(replicas=4, hub=True, faults=True, scope=True),
}


def history(rng: random.Random, p: dict, steps: int) -> list:
    out, n, bad = [], p["replicas"], rng.randrange(p["replicas"])
    dense = rng.random() < 0.5
    models = [*rng.sample(range(6), 2), 6] if dense and p.get("resolve") else rng.sample(range(7), 3) if dense else range(7)
    small = lambda: rng.randrange(8)
    op = lambda: (1, 0, small(), 2, small()) if p.get("twins") and rng.random() < 0.5 else (rng.choice([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 7, 8]), rng.choice(models), small(), small(), small())
    for r in range(rng.randrange(3)):
        out.append(("tx", r, [(0, m, k, k, 1) for m in range(4) for k in range(2)]))
    while len(out) < steps:
        x = rng.random()
        if p.get("gone") and x > 0.8:
            out.append(rng.choice([("save", 0), ("restore", 0, 0), ("trim", 1, 0), ("trim", 2, 0), ("collect", 1), ("collect", 2)]))
        elif p.get("left") and x > 0.6:
            a, b = rng.sample(range(n), 2)
            out += rng.choice([[("trim", a, 0), ("collect", a), ("pull", b, a, 3, small(), small())], [("pull", b, a, 3, small(), small())],
                               [("pull", b, a, 0, 0, small())], [("tx", a, [(2, rng.choice(models), small(), small(), small())])],
                               [("pull", b, a, 4, 0, 0)], [("pull", b, a, 5, 0, 0)]])
        elif p.get("twins") and x > 0.85:
            out.append(rng.choice([("clone", rng.randrange(n), 1), ("save", rng.randrange(n)), ("restore", rng.randrange(n), 1)]))
        elif x < 0.5:
            out.append(("tx", rng.randrange(n), [op() for _ in range(rng.choice([1, 1, 2, 3]))]))
        elif x < 0.85:
            fault = rng.choice([0, 2, 3, 3, 3, 3, 4, 5] if p["faults"] == "cut" else [0, 0, 0, 1, 2, 3, 4, 5, 6, 7]) if p.get("faults") else 0
            out.append(("pull", rng.randrange(n + 1), rng.randrange(n + 1), fault, small(), small()))
        elif x < 0.89:
            out.append(("time", rng.choice([0, 1, 1, 3, 30])))
        elif x < 0.91:
            out.append(("skew", rng.randrange(n), rng.choice([-20, -3, 0, 3, 20])))
        elif p.get("poison") and x < 0.95:
            out.append(rng.choice([("heal", bad), ("skew", bad, rng.choice([200, 1000]))]))
        elif p.get("gc") and (x < 0.96 or p["faults"] == "cut"):
            out.append(rng.choice([("trim", rng.randrange(n), rng.randrange(4)), ("collect", rng.randrange(n))]))
        elif p.get("schema"):
            out.append(("upgrade", rng.randrange(n)))
        elif p.get("restore"):
            out.append(rng.choice([("save", rng.randrange(n)), ("save", rng.randrange(n)),
                                   ("restore", rng.randrange(n), rng.randrange(2)), ("clone", rng.randrange(n), rng.randrange(2))]))
    return out


def run(profile: str, steps: list, seed=0) -> World:
    w = World({**PROFILES[profile], "bad": next((s[1] for s in steps if s[0] == "skew" and s[2] > 100), None)})
    w.rng = random.Random(seed)
    for i, s in enumerate(steps):
        w.step(s)
        if i % 5 == 0:
            for r in w.replicas:
                w.cut(r)
    w.settle()
    for r in w.replicas:
        w.count["looked"] += r.looked_at
        w.count["rows"] += len(r.tables)
    return w


def fails(profile, steps, seed=0) -> Optional[str]:
    try:
        run(profile, steps, seed)
    except Broken as e:
        return str(e)
    except Exception as e:
        return "CRASH " + repr(e) + traceback.format_exc()[-600:]
    return None


def law(message) -> str:
    return message.split()[0] if message else ""


def shrink(profile, steps, seed=0):
    """Leaves out what can be left out while the same law is broken."""
    want = law(fails(profile, steps, seed))
    size = len(steps) // 2
    while size:
        i = 0
        while i < len(steps):
            shorter = steps[:i] + steps[i + size:]
            if law(fails(profile, shorter, seed)) == want:
                steps = shorter
            else:
                i += size
        size //= 2
    for i, s in enumerate(steps):
        if s[0] == "tx":
            ops = s[2]
            for o in list(ops):
                fewer = [x for x in ops if x is not o]
                trial = steps[:i] + [("tx", s[1], fewer)] + steps[i + 1:]
                if law(fails(profile, trial, seed)) == want:
                    steps, ops = trial, fewer
    return steps


def work(job):
    profile, first, count, steps, deadline, bugs = job
    sync_spec.BUG.clear(), sync_spec.BUG.update(bugs)
    total, done = {}, 0
    for seed in range(first, first + count):
        if time.time() > deadline:
            break
        h = history(random.Random(seed), PROFILES[profile], steps)
        try:
            w = run(profile, h, seed)
        except Exception:
            return done + 1, total, (seed, h, fails(profile, h, seed))
        done += 1
        for k, v in w.count.items():
            total[k] = total.get(k, 0) + v
    return done, total, None


def campaign(profile, histories, seed=0, steps=40, jobs=1, seconds=3600, bugs=()):
    deadline, size = time.time() + seconds, 250
    todo = [(profile, seed + i, min(size, histories - i), steps, deadline, list(bugs)) for i in range(0, histories, size)]
    done, total, failure = 0, {}, None
    with ProcessPoolExecutor(jobs) as pool:
        for n, counts, failed in pool.map(work, todo):
            done += n
            for k, v in counts.items():
                total[k] = total.get(k, 0) + v
            if failed and not failure:
                failure = failed
                break
        if failure:
            pool.shutdown(cancel_futures=True)
    return done, total, failure


def main():
    a = argparse.ArgumentParser()
    a.add_argument("profile"), a.add_argument("histories", nargs="?", type=int, default=1000)
    a.add_argument("seed", nargs="?", type=int, default=0), a.add_argument("--steps", type=int, default=40)
    a.add_argument("--jobs", type=int, default=1), a.add_argument("--replay"), a.add_argument("--bug", default="")
    a.add_argument("--no-shrink", action="store_true"), a.add_argument("--seconds", type=int, default=3600)
    o = a.parse_args()
    sync_spec.BUG.update(filter(None, o.bug.split(",")))
    if o.replay:
        steps = eval(o.replay)
        return print(fails(o.profile, steps, o.seed))
    for profile in PROFILES if o.profile == "all" else [o.profile]:
        started = time.time()
        done, total, failed = campaign(profile, o.histories, o.seed, o.steps, o.jobs, o.seconds, bugs=sync_spec.BUG)
        print(f"{profile}: {done} histories, {time.time() - started:.0f} s, {total}", flush=True)
        if failed:
            seed, h, message = failed
            print(f"  seed {seed}: {message[:1500]}")
            if not o.no_shrink:
                h = shrink(profile, h, seed)
                print(f"  shrunk to {len(h)} steps, seed {seed}:\n  {h}\n  {fails(profile, h, seed)[:3000]}")
            sys.exit(1)


if __name__ == "__main__":
    main()
