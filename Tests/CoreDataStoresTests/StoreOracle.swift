import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage

/// The contents of a store as lines of text, from the library and from an independent program in Python.
enum StoreOracle {
    /// Returns a line for each count, attribute value and relationship, sorted, as the library reads them.
    static func lines(of container: PersistentContainer) throws -> [String] {
        try lines(of: container.newContext(), container.model)
    }

    /// Returns the lines of the objects that a context shows.
    static func lines(of context: ManagedObjectContext, _ model: ManagedObjectModel) throws -> [String] {
        var lines: [String] = []
        for entity in model.entities {
            let request = FetchRequest<ManagedObject>(entityName: entity.name)
            lines.append("count \(entity.name) \(try context.count(for: request))")
            for object in try context.fetch(request) where object.entity.name == entity.name {
                let subject = "\(entity.name) \(object.objectID.primaryKey ?? -1)"
                for attribute in entity.attributes where !attribute.isTransient {
                    let value = try object.value(forProperty: attribute.name)
                    lines.append("\(subject) \(attribute.name) \(text(value))")
                }
                for relationship in entity.relationships {
                    let related =
                        relationship.isToMany
                        ? try object.relatedObjects(relationship.name)
                        : [try object.relatedObject(relationship.name)].compactMap(\.self)
                    let names = related.map { "\($0.entity.name):\($0.objectID.primaryKey ?? -1)" }
                    let list = relationship.isOrdered ? names : names.sorted()
                    lines.append("\(subject) \(relationship.name) -> \(list.joined(separator: " "))")
                }
            }
        }
        return lines.sorted()
    }

    private static func text(_ value: StoredValue) -> String {
        switch value {
        case .null: "null"
        case .integer(let number): "i \(number)"
        case .real(let number): "r \(number.bitPattern)"
        case .text(let text): "t \(hexadecimal(Array(text.utf8)))"
        case .blob(let bytes): "b \(hexadecimal(bytes))"
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns the same lines from Python: the model comes from `read_store.py`, the rows from plain SQL.
    ///
    /// - Parameter path: A copy of the store, with its log. Python may change it.
    static func expectedLines(ofStoreAt path: String) throws -> [String] {
        let directory = SampleStore.directory?.path ?? ""
        return try Python.lines(of: model + program, directory, path).sorted()
    }

    /// Fills a store with rows of all entities, with random values and relationships.
    ///
    /// - Parameter path: The store. Its triggers are removed, because they call functions of Core Data, and
    ///   so are unique indexes.
    static func fill(storeAt path: String, seed: UInt64) throws {
        let directory = SampleStore.directory?.path ?? ""
        _ = try Python.output(of: model + filling, [directory, path, String(seed)])
    }

    /// The model and the columns. A column is the property's name in capitals after a Z, if necessary with
    /// the next digit in the order of entity numbers.
    static let model = #"""
        import sys, sqlite3, struct, re
        from decimal import Decimal
        sys.path.insert(0, sys.argv[1])
        import read_store
        c = sqlite3.connect(sys.argv[2])
        c.text_factory = lambda b: b.decode('utf-8', 'surrogateescape')
        T = read_store.schema(c)
        num = {n: e for e, n in c.execute('select Z_ENT, Z_NAME from Z_PRIMARYKEY')}
        M = read_store.Model(c.execute('select Z_CONTENT from Z_MODELCACHE').fetchone()[0])
        E = M.entities()
        if 'LuxuryCar' in E and 'LuxuryCar' not in num: num['LuxuryCar'] = num['ExpensiveSportCar']
        flags = {}
        for n, u in M.items(M.root['NSEntities']):
            for p, q in M.items(M.at(u)['NSProperties']): flags[n, p] = M.at(q).get('NSFlagsKey', 0)
        def up(n):
            r = [n]
            while E[r[-1]]['super']: r.append(E[r[-1]]['super'])
            return r
        def down(n): return [x for x in E if n in up(x)]
        def tab(n): return 'Z' + up(n)[-1].upper()
        def owner(n, p): return [x for x in up(n) if p in E[x]['props']][-1]
        column = {}
        used = set()
        for n in sorted(E, key=lambda x: num[x]):
            for p, d in sorted(E[n]['props'].items()):
                if owner(n, p) != n or d['transient']: continue
                if d['kind'] == 'NSRelationshipDescription' and d['max'] != 1: continue
                if d['kind'] in ('NSFetchedPropertyDescription',): continue
                base = 'Z' + p.upper()
                for s in [''] + [str(i) for i in range(1, 60)]:
                    if base + s in T[tab(n)] and (tab(n), base + s) not in used:
                        column[n, p] = base + s; used.add((tab(n), base + s)); break
        def join(n, p, d):
            o, dest, inv = owner(n, p), d['dest'], d['inverse']
            for t, cols in sorted(T.items()):
                plain = [x for x in cols if not x.startswith('Z_FOK_')]
                if not t.startswith('Z_') or len(plain) != 2: continue
                for a, b in (plain, plain[::-1]):
                    if p == inv and b == 'REFLEXIVE' and re.fullmatch(r'Z_%d%s\d*' % (num[o], p.upper()), a): return t, a, b
                    if re.fullmatch(r'Z_%d%s\d*' % (num[o], inv.upper()), a) and re.fullmatch(r'Z_%d%s\d*' % (num[dest], p.upper()), b):
                        return t, a, b
        def pairs():
            for n in E:
                for p, d in E[n]['props'].items():
                    if d['kind'] != 'NSRelationshipDescription' or d['max'] == 1 or owner(n, p) != n: continue
                    inv = d['inverse'] and E[d['dest']]['props'].get(d['inverse'])
                    if inv and inv['max'] != 1: yield n, d, *join(n, p, d)

        """#

    private static let program = #"""
        def value(v, d, external):
            if v is None: return 'null'
            t = d['type']
            if external and isinstance(v, bytes) and v[:1] == b'\x01': v = v[1:]
            if t in ('date', 'double', 'float'): v = float(v)
            if t == 'decimal':
                x = format(Decimal(repr(v)), 'f')
                if '.' in x: x = x.rstrip('0').rstrip('.')
                return 't ' + x.encode().hex()
            if isinstance(v, int): return 'i %d' % v
            if isinstance(v, float): return 'r %d' % struct.unpack('<Q', struct.pack('<d', v))[0]
            if isinstance(v, str): return 't ' + v.encode('utf-8', 'surrogateescape').hex()
            return 'b ' + bytes(v).hex()
        name = {v: k for k, v in num.items()}
        def related(dest, sql, args):
            rows = c.execute(sql, args).fetchall()
            return ['%s:%d' % (name[e], k) for k, e in rows if e in [num[x] for x in down(dest)]]
        out = []
        for n in E:
            family = ','.join(str(num[x]) for x in down(n))
            out.append('count %s %d' % (n, c.execute('select count(*) from %s where Z_ENT in (%s)' % (tab(n), family)).fetchone()[0]))
            cur = c.execute('select * from %s where Z_ENT = %d' % (tab(n), num[n]))
            names = [x[0] for x in cur.description]
            for r in cur.fetchall():
                r = dict(zip(names, r)); key = r['Z_PK']
                for p in sorted({q for x in up(n) for q in E[x]['props']}):
                    o = owner(n, p); d = E[o]['props'][p]
                    if d['transient'] or d['kind'] == 'NSFetchedPropertyDescription': continue
                    line = '%s %d %s ' % (n, key, p)
                    if d['kind'] != 'NSRelationshipDescription':
                        out.append(line + value(r[column[o, p]], d, flags[o, p] & 4)); continue
                    dest = d['dest']
                    if d['max'] == 1:
                        k = related(dest, 'select Z_PK, Z_ENT from %s where Z_PK = ?' % tab(dest), (r[column[o, p]],))
                        out.append(line + '-> ' + ' '.join(k)); continue
                    inv = d['inverse'] and E[dest]['props'].get(d['inverse'])
                    order = ''
                    if inv is None:
                        col = [x for x in T[tab(dest)] if re.fullmatch(r'Z%d%s\d*' % (num[o], p.upper()), x)][0]
                        sql = 'select Z_PK, Z_ENT from %s where %s = ?' % (tab(dest), col)
                    elif inv['max'] == 1:
                        io = owner(dest, d['inverse']); col = column[io, d['inverse']]
                        if d['ordered']: order = ' order by Z_FOK_%s, Z_PK' % d['inverse'].upper()
                        sql = 'select Z_PK, Z_ENT from %s where %s = ?' % (tab(dest), col)
                    else:
                        t, a, b = join(n, p, d)
                        if d['ordered']: order = ' order by j.Z_FOK_%s, d.Z_PK' % b[2:]
                        sql = 'select d.Z_PK, d.Z_ENT from %s j join %s d on d.Z_PK = j.%s where j.%s = ?' % (t, tab(dest), b, a)
                    k = related(dest, sql + order, (key,))
                    out.append(line + '-> ' + ' '.join(k if d['ordered'] else sorted(k)))
        sys.stdout.reconfigure(encoding='utf-8')
        for l in out: print(l)
        """#

    private static let filling = #"""
        import random, uuid
        R = random.Random(int(sys.argv[3]))
        for t, in c.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            c.execute('drop trigger "%s"' % t)
        for t, in c.execute("select name from sqlite_master where type = 'index' and sql like '% UNIQUE %'").fetchall():
            c.execute('drop index "%s"' % t)
        for t in T:
            if t[0] == 'Z' and t[:5] != 'Z_RT_' and t not in ('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE'):
                c.execute('delete from "%s"' % t)
        def sample(d, external):
            if R.random() < 0.15: return None
            t = d['type']
            if t == 'boolean': return R.randrange(2)
            if t == 'int16': return R.randrange(-2**15, 2**15)
            if t == 'int32': return R.randrange(-2**31, 2**31)
            if t == 'int64': return R.randrange(-2**63, 2**63)
            if t == 'double': return R.choice([R.random() * 1e6, float(R.randrange(1000))])
            if t == 'float': return struct.unpack('<f', struct.pack('<f', R.random() * 1e3))[0]
            if t == 'date': return R.choice([R.random() * 7e8, float(R.randrange(10**9))])
            if t == 'decimal': return R.choice([R.randrange(100), R.randrange(10000) / 100])
            if t == 'string': return ''.join(R.choice('abcXYZ äß日😀\'"0189') for _ in range(R.randrange(12)))
            if t == 'uri': return 'https://example.org/%d' % R.randrange(10**6)
            b = bytes(R.randrange(256) for _ in range(16 if t == 'uuid' else R.randrange(40)))
            return b'\x01' + b if external else b
        rows = {}
        last = {}
        for n in E:
            if E[n]['abstract']: continue
            for i in range(R.randrange(2, 6)):
                t = tab(n)
                last[t] = key = last.get(t, 0) + R.randrange(1, 3)
                rows.setdefault(n, []).append(key)
        family = {n: [k for x in down(n) for k in rows.get(x, [])] for n in E}
        for n in rows:
            for key in rows[n]:
                r = {'Z_PK': key, 'Z_ENT': num[n], 'Z_OPT': 1}
                for p in sorted({q for x in up(n) for q in E[x]['props']}):
                    o = owner(n, p); d = E[o]['props'][p]
                    if (o, p) not in column: continue
                    if d['kind'] != 'NSRelationshipDescription':
                        r[column[o, p]] = sample(d, flags[o, p] & 4)
                    elif family[d['dest']] and R.random() < 0.8:
                        r[column[o, p]] = R.choice(family[d['dest']])
                        inv = d['inverse'] and E[d['dest']]['props'].get(d['inverse'])
                        if inv and inv.get('ordered'): r['Z_FOK_' + p.upper()] = R.randrange(2048, 10**6)
                for o in E:
                    for p, d in E[o]['props'].items():
                        if d['kind'] != 'NSRelationshipDescription' or owner(o, p) != o or d['max'] == 1: continue
                        if d['inverse'] or d['dest'] not in up(n) or not family[o]: continue
                        for x in T[tab(n)]:
                            if re.fullmatch(r'Z%d%s\d*' % (num[o], p.upper()), x): r[x] = R.choice(family[o])
                c.execute('insert into %s (%s) values (%s)' % (tab(n), ','.join(r), ','.join('?' * len(r))), list(r.values()))
        for n, d, t, a, b in pairs():
            for x in family[n]:
                for y in family[d['dest']]:
                    if R.random() > 0.3: continue
                    for g, h in [(x, y), (y, x)][:2 if b == 'REFLEXIVE' else 1]:
                        f = [z for z in T[t] if z.startswith('Z_FOK_')]
                        v = [g, h] + [R.randrange(2048, 10**6) for _ in f]
                        c.execute('insert or ignore into %s (%s) values (%s)' % (t, ','.join([a, b] + f), ','.join('?' * len(v))), v)
        c.commit()
        """#
}
