# The table that Python's modules csv and json read from the bytes of a file.
import bisect, csv, datetime, decimal, gzip, hashlib, io, json, os, random, re, sqlite3, struct, sys, uuid, zipfile

csv.field_size_limit(1 << 30)
decimal.getcontext().prec = 400
sys.set_int_max_str_digits(0)


class Table:
    """Columns, rows of values, and the lines of the bad records. A value is None or (kind, text)."""

    def __init__(self):
        self.columns = []
        self.rows = []
        self.bad = []
        self.arrays = False


class Refused(Exception):
    """The file as a whole has no rows that can be trusted."""


def text_of(data, reading):
    """The text of a file. Bytes that are not text become lone surrogates."""
    if reading.get("member"):
        data = zipfile.ZipFile(io.BytesIO(data)).read(reading["member"])
    if reading.get("gzip"):
        data = gzip.decompress(data)
    encoding = reading.get("encoding", "utf-8")
    replaced = reading.get("replaced")
    if encoding == "utf-8":
        text = data.decode("utf-8", "replace" if replaced else "surrogateescape")
    else:
        text = data.decode(encoding)
    return text[1:] if text[:1] == "\ufeff" else text


def is_text(text):
    """Whether a text has neither NUL nor half of a surrogate pair."""
    return "\0" not in text and not re.search("[\ud800-\udfff]", text)


def line_ends(text):
    """The texts of the lines with their ends: LF, CR or both."""
    return io.StringIO(text, newline="").readlines()


class Lines:
    """The lines of a text for csv.reader, with the number of the line that was read last."""

    def __init__(self, lines, first):
        self.lines = lines
        self.number = first - 1
        self.next = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.next == len(self.lines):
            raise StopIteration
        self.next += 1
        self.number += 1
        return self.lines[self.next - 1]


def records_of_csv(text, reading):
    """The records with the line on which each begins, as (line, fields) or (line, None) for a bad one."""
    lines = line_ends(text)
    skipped = reading.get("skipped", 0)
    lines = lines[skipped:]
    comment = reading.get("comment")
    first = skipped + 1
    footer = reading.get("footer", 0)
    while footer > 0 and lines:
        if lines.pop().strip("\r\n"):
            footer -= 1
    source = Lines(lines, first)
    # Comments stand between records only.
    found = []
    while source.next < len(lines):
        if comment and lines[source.next].startswith(comment):
            next(source)
            continue
        line = source.number + 1
        reader = csv.reader(source, delimiter=reading.get("delimiter", ","), strict=True)
        try:
            fields = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            if "unexpected end" in str(error):
                found.append((line, "unclosed"))
                break
            found.append((line, None))
            continue
        found.append((line, fields))
    return found


def read_csv(text, reading):
    table = Table()
    width = None
    for line, fields in records_of_csv(text, reading):
        if width is None:
            if fields == []:
                continue
            if not isinstance(fields, list) or not all(map(is_text, fields)):
                raise Refused("header")
            width = len(fields)
            names = reading.get("columns")
            if names is None:
                names = ["column%d" % (i + 1) for i in range(width)] if reading.get("headless") else fields
            if len(names) != width:
                raise Refused("columns")
            table.columns = names
            if not reading.get("numbered") and len(set(names)) < width:
                raise Refused("repeated")
            if not reading.get("headless"):
                continue
        if fields == "unclosed":
            raise Refused("unclosed")
        # An empty line is a record with an empty field in a file of one column.
        if fields == []:
            if width > 1:
                continue
            fields = [""]
        if fields is None or len(fields) != width or not all(map(is_text, fields)):
            table.bad.append(line)
        else:
            table.rows.append([("untyped", field) for field in fields])
    if width is None:
        raise Refused("empty")
    return table


class Bad(Exception):
    """A bad record whose end is known."""


class Number(str):
    """The text of a number."""


class Members(list):
    """The members of an object in their order."""


def constant(name):
    raise Bad(name)


def members(pairs):
    names = [name for name, value in pairs]
    if len(set(names)) < len(names):
        raise Bad("repeated")
    return Members(pairs)


decoder = json.JSONDecoder(
    object_pairs_hook=members, parse_constant=constant, parse_int=Number, parse_float=Number)
lenient = json.JSONDecoder(object_pairs_hook=Members, parse_int=Number, parse_float=Number)


def plain(text):
    """A text in which no surrogate is alone. A pair of escapes is joined by Python's decoder."""
    if not is_text(text):
        raise Bad("text")
    return text


def check(value):
    """Checks the texts inside an array."""
    if isinstance(value, Members):
        for name, inner in value:
            plain(name)
            check(inner)
    elif isinstance(value, list):
        for inner in value:
            check(inner)
    elif isinstance(value, str):
        plain(value)


def flatten(value, path, numbered, fields):
    """Adds the fields of a value: dotted names for members."""
    if isinstance(value, Members):
        for name, inner in value:
            flatten(inner, plain(name) if path is None else path + "." + plain(name), numbered, fields)
        return
    if isinstance(value, list):
        if numbered:
            for position, inner in enumerate(value):
                flatten(inner, "%s.%d" % (path, position), numbered, fields)
            return
        check(value)
        kind = "array"
    elif value is None:
        kind = None
    elif isinstance(value, bool):
        kind, value = "boolean", "true" if value else "false"
    elif isinstance(value, Number):
        kind = "number"
    else:
        kind, value = "text", plain(value)
    if path in fields:
        raise Bad("repeated")
    fields[path] = None if kind is None else (kind, value)


def add_record(table, value, numbered):
    """Adds the fields of an object, or raises Bad."""
    if not isinstance(value, Members):
        raise Bad("no object")
    fields = {}
    flatten(value, None, numbered, fields)
    for name in fields:
        if name not in table.columns:
            table.columns.append(name)
    table.rows.append(fields)


def line_at(text, position):
    return text.count("\n", 0, position) + 1


def skip_space(text, position):
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def read_elements(table, text, position, numbered, closing):
    """Reads the objects of an array, or objects one after the other, from a position."""
    isFirst = True
    while True:
        position = skip_space(text, position)
        if closing:
            if position == len(text):
                raise Refused("not closed")
            if text[position] == closing:
                return position + 1
            if not isFirst:
                if text[position] != ",":
                    raise Refused("comma")
                position = skip_space(text, position + 1)
        elif position == len(text):
            return position
        isFirst = False
        start = position
        try:
            value, position = decoder.raw_decode(text, start)
            add_record(table, value, numbered)
        except Bad:
            # The lenient decoder finds the end of the record.
            _, position = lenient.raw_decode(text, start)
            table.bad.append(line_at(text, start))
        except ValueError:
            raise Refused("damaged")


def array_at(text, path):
    """The positions after the brackets of the arrays at a path, found by the decoder."""
    def search(start, names):
        start = skip_space(text, start)
        if text[start] == "[" and not names:
            return [start + 1]
        found = []
        if text[start] == "[":
            position = skip_space(text, start + 1)
            while text[position] != "]":
                found += search(position, names)
                _, position = lenient.raw_decode(text, position)
                position = skip_space(text, position)
                if text[position] == ",":
                    position = skip_space(text, position + 1)
        elif text[start] == "{":
            position = skip_space(text, start + 1)
            while text[position] != "}":
                name, position = lenient.raw_decode(text, position)
                position = skip_space(text, skip_space(text, position) + 1)
                if names and name == names[0]:
                    found += search(position, names[1:])
                _, position = lenient.raw_decode(text, position)
                position = skip_space(text, position)
                if text[position] == ",":
                    position = skip_space(text, position + 1)
        return found
    return search(0, path.split("."))


def read_json(text, reading):
    table = Table()
    numbered = reading.get("elements", False)
    form = reading["form"]
    if form == "json":
        for start in array_at(text, reading["at"]) if "at" in reading else [skip_space(text, 0) + 1]:
            end = read_elements(table, text, start, numbered, "]")
        if "at" not in reading and skip_space(text, end) < len(text):
            raise Refused("follows")
    elif form == "objects":
        read_elements(table, text, 0, numbered, None)
    else:
        for number, line in enumerate(text.split("\n")):
            position = skip_space(line, 0)
            if position == len(line):
                continue
            try:
                value = decoder.decode(line)
                add_record(table, value, numbered)
            except (Bad, ValueError):
                table.bad.append(number + 1)
    table.rows = [[row.get(name) for name in table.columns] for row in table.rows]
    return table


def read(data, reading):
    """The table in a file, as the case describes how to read it."""
    text = text_of(data, reading)
    table = read_csv(text, reading) if reading["form"] == "csv" else read_json(text, reading)
    if not table.rows or not table.columns:
        raise Refused("no records")
    return table
