"""Plants faults in the specification, one at a time, and says which law finds each, after how many histories.

    python3 mutants.py [HISTORIES] [--only WORDS]
"""
import argparse, re, sys, time
import laws, sync_spec

SOURCE = open(sync_spec.__file__).read() + open(laws.__file__).read()
ALL = sorted(set(re.findall(r'bug\("([^"]+)"\)', SOURCE)))
WHERE = {  # where a fault has something to do
    "any clock is believed": ["poison"], "any clock is believed in rows": ["poisonrows", "poison"],
    "unknown columns are dropped": ["schema"], "a derived value may win over a written one": ["schema"],
    "a restored hub infers nothing": ["hubgone"], "a restored store keeps its name": ["twins"],
    "the hub's entry is not asked for": ["hubgone"],
    "the hub lets newcomers evict": ["hub"], "the hub parks what it showed": ["hub"],
    "a new name counts again": ["twins"],
    "a refusal leaves a part as it was": ["part"], "a part forgets deletes that were not sent": ["part"],
    "resumed rows end with the newest vector": ["cut", "hubcut"], "rows that were cut are forgotten": ["cut", "hubcut"],
    "collected deletes are forgotten": ["gc", "cut", "hubcut"], "collecting leaves no trace": ["gc", "cut", "hubcut"],
    "late replicas get rows only": ["gc", "cut", "hubcut"], "the vector is raised with the first rows": ["cut"],
    "rows that were cut get no name": ["left"], "deletes of cut rows get no name": ["left"],
    "rows of one answer get a name": ["left"],
    "what a push had seen counts as seen by its entries": ["resolve"], "older writes count as seen": ["resolve"],
}
KNOWN = {  # histories that found faults which random ones find too seldom: profile, seed, steps
    "a restored hub judges again": ("hubrestore", 8000202,
        [('tx', 0, [(0, 0, 0, 0, 1), (0, 0, 1, 1, 1), (0, 1, 1, 1, 1)]), ('pull', 2, 0, 7, 0, 5), ('tx', 2, [(2, 6, 3,
         3, 4)]), ('pull', 3, 2, 6, 0, 1), ('pull', 1, 3, 6, 7, 5), ('tx', 1, [(1, 6, 1, 0, 5)]), ('tx', 0, [(7, 6, 3,
         6, 5)]), ('tx', 1, [(0, 6, 6, 6, 1)]), ('tx', 0, []), ('tx', 0, [(7, 0, 1, 4, 2)]), ('save', 0), ('tx', 1,
         [(1, 0, 3, 6, 0)]), ('tx', 0, [(0, 2, 3, 3, 2)]), ('tx', 1, [(1, 1, 1, 0, 2)]), ('pull', 1, 0, 0, 0, 5),
         ('restore', 0, 1)]),
    "a new name has another place": ("twins", 6000247,
        [('tx', 2, [(0, 6, 0, 0, 0)]), ('tx', 0, [(0, 0, 2, 6, 5)]), ('tx', 2, [(1, 0, 6, 5, 5)]), ('tx', 2, []),
         ('pull', 0, 2, 3, 3, 1), ('tx', 0, []), ('tx', 0, []), ('pull', 1, 3, 2, 1, 2), ('save', 1), ('tx', 1, [(1,
         0, 0, 2, 7)]), ('tx', 2, []), ('clone', 1, 1), ('tx', 2, []), ('restore', 1, 1), ('pull', 2, 0, 0, 1, 6),
         ('tx', 2, []), ('tx', 2, [(0, 6, 2, 4, 1)]), ('tx', 0, []), ('tx', 0, [(1, 0, 5, 2, 3)]), ('pull', 1, 0, 0,
         5, 5), ('clone', 1, 1), ('tx', 1, [(1, 0, 0, 7, 1)])]),
    "a refusal renews what a copy has written": ("twins", 3008974,
        [('tx', 0, [(0, 0, 0, 0, 1), (0, 0, 1, 1, 1)]), ('tx', 2, [(0, 0, 3, 4, 4)]), ('tx', 2, [(7, 6, 3, 2, 3)]),
         ('tx', 0, [(2, 6, 2, 7, 6), (7, 6, 5, 6, 3)]), ('clone', 2, 1), ('tx', 2, [(1, 0, 1, 2, 5)])]),
    "edits of nothing are kept": ("hubrestore", 5001378,
        [('tx', 0, [(0, 0, 0, 0, 1), (0, 0, 1, 1, 1)]), ('tx', 2, [(0, 6, 0, 5, 4)]), ('pull', 0, 2, 0, 0, 1),
         ('save', 2), ('tx', 2, [(2, 6, 0, 2, 4)]), ('clone', 2, 0), ('restore', 2, 0), ('tx', 2, [(1, 6, 7, 7, 3)])]),
    "answers of what a hub was are taken": ("hubgone", 6001247,
        [('tx', 0, [(0, 0, 1, 1, 1)]), ('tx', 2, [(0, 6, 6, 3, 1)]), ('tx', 2, [(8, 6, 1, 2, 6)]), ('tx', 2, [(2, 6,
         4, 1, 5)]), ('save', 0), ('tx', 2, [(3, 6, 4, 0, 1)]), ('pull', 3, 2, 0, 2, 3), ('trim', 2, 0), ('tx', 2,
         [(0, 6, 1, 4, 4)]), ('pull', 2, 0, 4, 2, 0), ('restore', 0, 0), ('tx', 2, [(3, 6, 0, 3, 1)]), ('pull', 0, 2,
         0, 1, 3), ('pull', 2, 3, 5, 3, 0)]),
    "rows go on anywhere": ("left", 1,
        [('tx', 2, [(0, 1, 0, 0, 1)]), ('pull', 0, 2, 0, 0, 0), ('tx', 0, [(0, 0, 0, 0, 1)]), ('tx', 0, [(0, 0, 1, 1,
         1)]), ('tx', 0, [(2, 1, 0, 0, 0)]), ('collect', 0), ('trim', 0, 0), ('pull', 1, 0, 3, 2, 0), ('pull', 1, 0, 4,
         0, 0), ('tx', 3, [(0, 4, 0, 0, 1)]), ('pull', 2, 3, 0, 0, 0), ('trim', 3, 0), ('pull', 1, 3, 0, 0, 0), ('pull',
         1, 2, 0, 0, 0), ('pull', 1, 0, 5, 0, 0)]),
    "what cut rows have decided gets no name": ("left", 5961,
        [('tx', 0, [(0, 0, 0, 0, 1), (0, 0, 1, 1, 1), (0, 1, 0, 0, 1), (0, 1, 1, 1, 1)]), ('pull', 3, 0, 5, 0, 0),
         ('tx', 3, [(0, 4, 5, 7, 5)]), ('pull', 1, 3, 5, 0, 0), ('tx', 3, [(2, 4, 7, 5, 5)]), ('trim', 3, 0),
         ('collect', 3), ('pull', 2, 3, 3, 5, 6)]),
    "deletes that were collected meanwhile are inferred": ("left", 5956,
        [('tx', 1, [(0, 0, 1, 1, 1), (0, 1, 1, 1, 1)]), ('pull', 2, 1, 5, 0, 0), ('tx', 2, [(2, 6, 5, 4, 6)]), ('trim',
         2, 0), ('collect', 2), ('trim', 1, 0), ('collect', 1), ('pull', 3, 1, 3, 2, 7), ('pull', 3, 2, 0, 0, 0)]),
    "a new name forgets what was seen": ("resolverestore", 0,
        [('tx', 0, [(0, 6, 0, 1, 1)]), ('pull', 1, 0, 0, 0, 0), ('clone', 1, 1), ('tx', 1, [(0, 0, 0, 0, 1)]), ('pull', 0,
         1, 0, 0, 0), ('tx', 3, [(1, 6, 0, 0, 5)]), ('tx', 3, [(1, 6, 0, 0, 6)])]),
    "deletes are inferred from what was refused": ("hubgone", 6102006,
        [('save', 0), ('tx', 1, [(8, 6, 7, 4, 2)]), ('tx', 0, [(0, 0, 6, 6, 0)]), ('tx', 1, [(1, 0, 5, 3, 2), (0, 0,
         4, 1, 3)]), ('pull', 0, 1, 0, 5, 3), ('pull', 2, 3, 5, 4, 4), ('trim', 1, 0), ('trim', 2, 0), ('collect', 2),
         ('restore', 0, 0)]),
}


def main():
    a = argparse.ArgumentParser()
    a.add_argument("histories", nargs="?", type=int, default=3000), a.add_argument("--only", default="")
    o, alive = a.parse_args(), []
    tried = [m for m in ALL if o.only in m and not m.startswith("variant")]
    for name in tried:
        started, found = time.time(), None
        if name in KNOWN:
            profile, seed, steps = KNOWN[name]
            right = laws.fails(profile, steps, seed)
            sync_spec.BUG.add(name)
            wrong = laws.fails(profile, steps, seed)
            sync_spec.BUG.clear()
            found = (profile, "known", laws.law(wrong)) if wrong and not right else None
        for profile in WHERE.get(name, ["p2p", "gc", "hub", "restore"]) if not found else ():
            done, _, failed = laws.campaign(profile, o.histories, 0, bugs=[name])
            if failed:
                found = (profile, done, laws.law(failed[2]))
                break
        print(f"{name:45} {'found by ' + found[2] + ' in ' + found[0] + ', history ' + str(found[1]) if found else 'NOT FOUND'}"
              f"  ({time.time() - started:.0f} s)", flush=True)
        if not found:
            alive.append(name)
    print(f"{len(tried) - len(alive)} of {len(tried)} found; not found: {alive}")


if __name__ == "__main__":
    main()
