"""Writes histories of the specification as JSON lines, for another implementation to replay and compare.

    python3 traces.py PROFILE COUNT [SEED] [--steps N] [--compact] [--opened]  > traces.jsonl
    python3 traces.py --check traces.jsonl                  runs them again and compares every line

README.md describes the lines.
"""
import argparse, json, random, sys
import laws, sync_spec
from laws import PROFILES, World, history
from sync_spec import Replica, agreement, digest


def stamp(s):
    return [s[0], s[1]]


def name_of(mk):
    return f"{mk[0]}/{mk[1]}"


def records_of(r) -> dict:
    return {name_of(mk): [dict(birth=stamp(b), root=stamp(s.root), whole=s.whole,
                               columns={c: [*stamp(t), v] for c, (t, v) in sorted(s.cols.items())},
                               counters={c: {n: list(e) for n, e in sorted(es.items())} for c, es in sorted(s.counts.items())},
                               sets={c: [[x, n, *stamp(t)] for x, (n, t) in sorted(xs.items())] for c, xs in sorted(s.sets.items())})
                          for b, s in sorted(births.items())] for mk, births in sorted(r.records.items(), key=lambda x: name_of(x[0]))}


def state_of(r) -> dict:
    held = sorted([name_of(mk), r.view.reason(mk)] for mk in r.view.rows if mk not in r.tables)
    return dict(replica=r.key, name=r.rid, vector={n: v[0] for n, v in sorted(r.vec.items())}, rows={
        name_of(mk): dict(sorted(row.items())) for mk, row in sorted(r.tables.items(), key=lambda x: name_of(x[0]))},
        held=held, lost=sorted(([name_of(mk), stamp(b), c, stamp(s), v] for mk, b, c, s, v in r.lost), key=json.dumps), digest=digest(r.tables))


def message(m) -> list:
    kind, args = m[1], m[2:]
    if kind == "log":
        return [kind, args[0][0].origin, args[0][0].hlc]
    if kind == "refused":
        return [kind, args[0].origin, args[0].hlc]
    return [kind, name_of(args[0][0][0])] if kind == "rows" else [kind, name_of(args[0])] if kind == "part" else [kind]


class Tracer(World):
    """A world that writes down what is done in it."""

    def __init__(self, profile):
        self.lines, self.known, self.answers, self.parts = [], {}, 0, {}
        self.asking, self.asked, self.dropped = None, {}, None
        super().__init__(profile)

    def exchange(self, dst, src, *args):
        self.asking = dst.key
        super().exchange(dst, src, *args)
        self.asking = None

    def say(self, **line):
        self.lines.append(line)
        for r in self.replicas:
            if (state := state_of(r)) != self.known.get(r.key):
                self.known[r.key] = state
                self.lines.append(dict(state=state))

    def step(self, s):
        kind, r = s[0], self.replicas[s[1] % len(self.replicas)]
        before, restored = len(self.replicas), self.count.get("restored", 0)
        super().step(s)
        if kind == "time":
            self.say(do="time", now=self.now)
        elif kind == "skew":
            self.say(do="skew", replica=r.key, skew=s[2])
        elif kind in ("trim", "collect", "save", "upgrade", "heal"):
            self.say(do=kind, replica=r.key, **(dict(keep=s[2], log=[[e.origin, e.hlc] for e in r.log]) if kind == "trim" else {}))
        elif kind == "restore" and self.count.get("restored", 0) > restored:
            self.say(do=kind, replica=r.key, noticed=r.rid != self.saved[r.key][0]["rid"], name=r.rid)
        elif kind == "clone" and len(self.replicas) > before:
            copy = self.replicas[-1]
            self.say(do=kind, of=r.key, replica=copy.key, noticed=copy.rid != r.rid, name=copy.rid)

    def later(self):
        super().later()
        self.say(do="time", now=self.now)

    def ops(self, r, codes):
        self.writing = super().ops(r, codes)
        return self.writing


def hook(world):
    """Lets a world hear of every transaction, answer and taking of messages."""
    originals = {n: getattr(Replica, n) for n in ("transact", "serve", "serve_part", "receive")}

    def transact(r, ops):
        entry = originals["transact"](r, ops)
        world.say(do="write", replica=r.key, entry=entry and entry.hlc, ops=[
            [op, name_of(mk), *rest] for op, mk, *rest in ops])
        return entry

    def served(name):
        def serve(r, h, *args, **more):
            before = (r.epoch, r.session)
            answer = originals[name](r, h, *args, **more)
            if world.asking is None:  # a law checks what would be sent
                return answer
            world.answers += 1
            for m in answer:
                world.parts[id(m)] = (world.answers, m)
            asked = dict(do="ask", replica=r.key, by=world.asking, answer=world.answers, messages=[message(m) for m in answer])
            world.asked = (asked, before != (r.epoch, r.session))
            world.say(**asked)
            return answer
        return serve

    def receive(r, session, messages, size=1):
        ids = [world.parts[id(m)][0] for m in messages if id(m) in world.parts] or [world.answers]
        unread = [m[0] for m in messages if id(m) not in world.parts]
        before, known = (r.epoch, r.session), dict(world.known)
        refused = originals["receive"](r, session, messages, size)
        asked, met = world.asked
        world.say(do="take", replica=r.key, answer=ids[0], messages=[m[0] for m in messages], batch=size, refused=refused,
                  **(dict(unreadable=unread) if unread else {}))
        if world.lines[-2] == asked and asked["answer"] == ids[0] and known == world.known and not met and (
                before == (r.epoch, r.session)) and all(m[0] == "yours" for m in asked["messages"]):
            del world.lines[-2:]  # nothing is new
            world.dropped = ids[0]
        elif world.dropped == ids[0]:  # and is not when it comes twice
            del world.lines[-1:]
        return refused

    Replica.transact, Replica.receive = transact, receive
    Replica.serve, Replica.serve_part = served("serve"), served("serve_part")
    return originals


def opening(p) -> list:
    """Objects of every model, known to all: short histories that begin with nothing seldom come to tasks and seats."""
    inserts = lambda *models: ("tx", 0, [(0, m, k, k, 1) for m in models for k in range(3)])
    return [inserts(0, 1), inserts(2), inserts(3, 4), inserts(5)] + [("pull", i, 0, 0, 0, 7) for i in range(1, p["replicas"])]


def trace(profile, seed, steps, opened=False) -> list:
    laws.sync_spec.tags = sync_spec.tags
    h = (opening(PROFILES[profile]) if opened else []) + history(random.Random(seed), PROFILES[profile], steps)
    w = Tracer({**PROFILES[profile], "bad": next((s[1] for s in h if s[0] == "skew" and s[2] > 100), None)})
    w.rng = random.Random(seed)
    originals = hook(w)
    try:
        for s in h:
            w.step(s)
        w.say(do="settle", now=w.now + 1)
        w.settle()
    finally:
        for n, f in originals.items():
            setattr(Replica, n, f)
    w.lines = [l for l in w.lines if l.get("do") != "write" or l["ops"]]
    w.lines.append(dict(end=[dict(replica=r.key, name=r.rid, digest=digest(r.tables), agreement=agreement(r.records),
                                  records=records_of(r))
                             for r in w.replicas[:1 if not PROFILES[profile].get("scope") else None]]))
    p = {k: v for k, v in PROFILES[profile].items() if k in ("hub", "scope", "policy")}
    return [dict(trace=1, profile=profile, seed=seed, steps=steps, replicas=PROFILES[profile]["replicas"],
                 **(dict(opened=True) if opened else {}), **p), *w.lines]


def compact(lines) -> list:
    """Without rows and records, for which digests stand, and with the beginning of digests only."""
    out = json.loads(json.dumps(lines))
    for line in out:
        for part in [line["state"]] if "state" in line else line.get("end", []):
            part.pop("rows", None), part.pop("records", None)
            part.update((k, part[k][:16]) for k in ("digest", "agreement") if k in part)
    return out


def text(lines) -> list:
    return [json.dumps(l, separators=(",", ":"), ensure_ascii=False, sort_keys=False) for l in lines]


def main():
    a = argparse.ArgumentParser()
    a.add_argument("profile", nargs="?"), a.add_argument("count", nargs="?", type=int, default=10)
    a.add_argument("seed", nargs="?", type=int, default=0), a.add_argument("--steps", type=int, default=24)
    a.add_argument("--check"), a.add_argument("--compact", action="store_true")
    a.add_argument("--opened", action="store_true")
    o = a.parse_args()
    if o.check:
        lines, count = [l.rstrip("\n") for l in open(o.check)], 0
        heads = [i for i, l in enumerate(lines) if l.startswith('{"trace":')]
        for i, j in zip(heads, heads[1:] + [len(lines)]):
            head, count = json.loads(lines[i]), count + 1
            again = trace(head["profile"], head["seed"], head["steps"], head.get("opened", False))
            if lines[i:j] not in (text(again), text(compact(again))):
                sys.exit(f"trace {head['profile']} {head['seed']} differs")
        return print(f"{count} traces are as written")
    for seed in range(o.seed, o.seed + o.count):
        lines = trace(o.profile, seed, o.steps, o.opened)
        print("\n".join(text(compact(lines) if o.compact else lines)))


if __name__ == "__main__":
    main()
