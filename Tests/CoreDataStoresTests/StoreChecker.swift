import CheckSupport
import Foundation

/// The rules of the format, checked in Python with plain SQL: the rows of a store, and the differences
/// between two states of it.
enum StoreChecker {
    /// Returns the violated rules, one in each line; empty for a store that follows the rules.
    ///
    /// - Parameters:
    ///   - before: A copy of an earlier state.
    ///   - after: The present state.
    static func faults(from before: URL, to after: URL) throws -> [String] {
        let directory = SampleStore.directory?.path ?? ""
        return try Python.lines(of: StoreOracle.model + program, directory, after.path, before.path)
    }

    /// Copies the committed state of a store, and returns the location of the copy.
    static func snapshot(of store: URL, to directory: TemporaryDirectory, _ name: String) throws -> URL {
        let copy = directory.file(name)
        _ = try Python.output(
            of: """
                import sqlite3, sys, os
                if os.path.exists(sys.argv[2]): os.remove(sys.argv[2])
                a = sqlite3.connect(sys.argv[1]); b = sqlite3.connect(sys.argv[2])
                a.backup(b); b.close(); a.close()
                """, [store.path, copy.path])
        return copy
    }

    private static let program = #"""
        import os
        faults = []
        def fault(*a): faults.append(' '.join(str(x) for x in a))
        for r in c.execute('pragma integrity_check'):
            if r[0] != 'ok': fault('integrity', r[0])
        o = sqlite3.connect(sys.argv[3])
        o.text_factory = c.text_factory
        for t in ('Z_METADATA', 'Z_MODELCACHE'):
            if c.execute('select * from ' + t).fetchall() != o.execute('select * from ' + t).fetchall(): fault(t, 'changed')
        schema = 'select type, name, tbl_name, sql from sqlite_master order by 1, 2, 3'
        if c.execute(schema).fetchall() != o.execute(schema).fetchall(): fault('schema changed')
        name = {v: k for k, v in num.items()}
        written = {}
        for sql, in c.execute("select sql from sqlite_master where type = 'trigger'"):
            for t, x in re.findall(r'UPDATE\s+(\w+)\s+SET\s+(\w+)', sql): written.setdefault(t, set()).add(x)
        changes = set()
        ends = {}
        tables = {tab(n) for n in E if n in num}
        def rows(d, t):
            cur = d.execute('select * from %s' % t)
            h = [x[0] for x in cur.description]
            return {r['Z_PK']: r for r in (dict(zip(h, x)) for x in cur)}
        joins = {}
        for n, d, t, a, b in pairs():
            joins.setdefault(t, []).append((a, b, tab(n), tab(d['dest']), d['ordered']))
        for t in joins:
            a, b, ta, tb, _ = joins[t][0]
            q = 'select * from %s' % t
            now, then = set(c.execute(q)), set(o.execute(q))
            h = [x[0] for x in c.execute(q).description]
            for r in now ^ then:
                r = dict(zip(h, r))
                ends.setdefault(ta, set()).add(r[a]); ends.setdefault(tb, set()).add(r[b])
            for r in now:
                r = dict(zip(h, r))
                for x, y in ((r[a], ta), (r[b], tb)):
                    if not c.execute('select 1 from %s where Z_PK = ?' % y, (x,)).fetchone(): fault(t, 'leads to the missing', y, x)
                if b == 'REFLEXIVE' and not c.execute('select 1 from %s where %s = ? and %s = ?' % (t, a, b), (r[b], r[a])).fetchone():
                    fault(t, r[a], r[b], 'has no opposite pair')
            for a, b, ta, tb, ordered in joins[t]:
                f = 'Z_FOK_' + b[2:] if b != 'REFLEXIVE' else 'Z_FOK_REFLEXIVE'
                if not ordered or f not in T[t]: continue
                for x, m, k, l in c.execute('select %s, count(*), count(distinct %s), min(%s) from %s group by 1' % (a, f, f, t)):
                    if m != k or l <= 0: fault(t, 'order of', x, 'is not distinct')
        for t in sorted(tables):
            family = [n for n in E if n in num and tab(n) == t]
            root = up(family[0])[-1]
            now, then = rows(c, t), rows(o, t)
            last, = c.execute('select Z_MAX from Z_PRIMARYKEY where Z_ENT = ?', (num[root],)).fetchone()
            old, = o.execute('select Z_MAX from Z_PRIMARYKEY where Z_ENT = ?', (num[root],)).fetchone()
            if now and (last or 0) < max(now): fault(t, 'Z_MAX', last, 'below', max(now))
            if (last or 0) < (old or 0): fault(t, 'Z_MAX decreased')
            for k in set(now) - set(then):
                if k <= (old or 0): fault(t, k, 'has a key that was given before')
            concrete = [num[n] for n in family if not E[n]['abstract']]
            classes = [(x, m.group(2), int(m.group(1))) for x in T[t] for m in [re.fullmatch(r'Z(\d+)_(\w+)', x)] if m]
            for k, r in now.items():
                if r['Z_ENT'] not in concrete: fault(t, k, 'has the entity', r['Z_ENT']); continue
                n = name[r['Z_ENT']]
                isNew = k not in then
                old = then.get(k)
                for p in sorted({q for x in up(n) for q in E[x]['props']}):
                    w = owner(n, p); d = E[w]['props'][p]
                    if (w, p) not in column: continue
                    v = r[column[w, p]]
                    if d['kind'] != 'NSRelationshipDescription':
                        if v is None and not d['optional'] and old != r and column[w, p] not in written.get(t, ()):
                            fault(t, k, 'has no', p)
                        if flags[w, p] & 4 and isinstance(v, bytes) and v[:1] not in (b'\x01', b'\x02'): fault(t, k, p, 'has no prefix')
                        if flags[w, p] & 4 and isinstance(v, bytes) and v[:1] == b'\x02':
                            s = os.path.splitext(os.path.basename(sys.argv[2]))[0]
                            f = os.path.join(os.path.dirname(sys.argv[2]), '.%s_SUPPORT' % s, '_EXTERNAL_DATA', v[1:].rstrip(b'\0').decode())
                            if not os.path.isfile(f): fault(t, k, p, 'names the missing file', f)
                        continue
                    if v is not None:
                        e = c.execute('select Z_ENT from %s where Z_PK = ?' % tab(d['dest']), (v,)).fetchone()
                        if e is None: fault(t, k, p, 'leads to the missing', v); continue
                        if name[e[0]] not in down(d['dest']): fault(t, k, p, 'leads to the entity', e[0])
                    e = v and e[0]
                    for x, q, z in classes:
                        if 'Z' + q == column[w, p] and z == num[d['dest']] and r[x] != e: fault(t, k, x, 'is', r[x], 'and not', e)
                    inv = d['inverse'] and E[d['dest']]['props'].get(d['inverse'])
                    if inv and inv.get('ordered') and inv['max'] != 1:
                        f = 'Z_FOK_' + p.upper()
                        if (v is None) != (r[f] is None): fault(t, k, f, 'is', r[f], 'for', v)
                        if v is not None:
                            m, = c.execute('select count(*) from %s where %s = ? and %s = ?' % (t, column[w, p], f), (v, r[f])).fetchone()
                            if m != 1 or r[f] <= 0: fault(t, k, f, r[f], 'is not distinct')
                if isNew:
                    changes.add((0, r['Z_ENT'], k))
                    if r['Z_OPT'] != 1: fault(t, k, 'is new with Z_OPT', r['Z_OPT'])
                    continue
                skip = written.get(t, set()) | {'Z_OPT'}
                differs = any(r[x] != old[x] for x in r if x not in skip) or k in ends.get(t, ())
                if differs: changes.add((1, r['Z_ENT'], k))
                if r['Z_OPT'] != (old['Z_OPT'] or 0) + differs: fault(t, k, 'Z_OPT from', old['Z_OPT'], 'to', r['Z_OPT'], 'changed' if differs else 'unchanged')
            for k in set(then) - set(now): changes.add((2, then[k]['Z_ENT'], k))
        if 'ACHANGE' in T:
            known = max([x for x, in o.execute('select Z_PK from ACHANGE')] + [0])
            new = c.execute('select ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, Z_ENT from ACHANGE where Z_PK > ?', (known,)).fetchall()
            if {x[:3] for x in new} != changes or len(new) != len(changes):
                fault('history', sorted({x[:3] for x in new} ^ changes)[:5], len(new), len(changes))
            if len({x[3] for x in new}) != (1 if changes else 0): fault('history has', {x[3] for x in new})
            for x in {x[3] for x in new}:
                if not c.execute('select 1 from ATRANSACTION where Z_PK = ? and ZTIMESTAMP > 7e8 and ZBUNDLEIDTS in (select Z_PK from ATRANSACTIONSTRING)', (x,)).fetchone():
                    fault('history lacks the transaction', x)
            for n, t in (('CHANGE', 'ACHANGE'), ('TRANSACTION', 'ATRANSACTION'), ('TRANSACTIONSTRING', 'ATRANSACTIONSTRING')):
                e, m = c.execute('select Z_ENT, Z_MAX from Z_PRIMARYKEY where Z_NAME = ?', (n,)).fetchone() or (0, 0)
                k, = c.execute('select max(Z_PK) from ' + t).fetchone()
                if (k or 0) > m: fault(t, 'Z_MAX', m, 'below', k)
                if c.execute('select 1 from %s where Z_ENT <> ?' % t, (e,)).fetchone(): fault(t, 'has another entity')
        for f in faults: print(f)
        """#
}
