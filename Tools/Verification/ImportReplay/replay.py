# The conversation with import-replay: a request in a line, and its answer in the next line.
import shutil

directory, kept, mode = sys.argv[1:4]
attempts = 0


def send(request):
    sys.stdout.write(json.dumps(request) + "\n")
    sys.stdout.flush()


def attempt(case):
    """Imports the file of a case, and returns the difference with the messages, or None."""
    global attempts
    attempts += 1
    folder = os.path.join(directory, str(attempts))
    os.mkdir(folder)
    path, store, rejects = (os.path.join(folder, name) for name in (case["file"], "s.store", "rejects"))
    with open(path, "wb") as file:
        file.write(case["data"])
    send({"run": {"file": path, "store": store, "rejects": rejects, "arguments": case["arguments"]}})
    answer = json.loads(sys.stdin.readline())
    try:
        problem = difference(case, store, rejects, answer["status"], answer["errors"])
    except Exception as error:
        problem = "the files cannot be compared: %r" % error
    finally:
        shutil.rmtree(folder)
    return None if problem is None else problem + "\n" + answer["errors"].replace(folder + "/", "")


def smaller(case, problem):
    """The case without the lines that the difference does not need."""
    fails = problem.startswith("the files cannot")
    for separator in (b"\n", b"\r"):
        size = case["data"].count(separator)
        budget = 300
        while size >= 1 and budget > 0:
            lines = case["data"].split(separator)
            position = 0
            while position < len(lines) and budget > 0:
                budget -= 1
                rest = lines[:position] + lines[position + size:]
                other = dict(case, data=separator.join(rest))
                found = attempt(other)
                # A removal may leave half of a UTF-16 unit, which gives another difference.
                if found is not None and found.startswith("the files cannot") == fails:
                    case, lines = other, rest
                else:
                    position += size
            size //= 2
    return case


def report(case, problem, repeat):
    text = case["data"] if len(case["data"]) <= 2000 else case["data"][:2000] + b"..."
    send({"say": "DIFFERENT: %s\n%s\n%s\n%s\n%s\n" % (
        case["name"], repeat, problem, " ".join(case["arguments"]), ascii(text))})


def run_random(seed, first, count):
    rows = bad = refused = 0
    for number in range(first, first + count):
        case = random_case(random.Random("%d %d" % (seed, number)))
        case["name"] = "file %d of seed %d" % (number, seed)
        problem = attempt(case)
        if problem is not None:
            case = smaller(case, problem)
            problem = attempt(case) or problem
            path = os.path.join(kept, "import-replay-%d-%d-%s" % (seed, number, case["file"]))
            with open(path, "wb") as file:
                file.write(case["data"])
            report(case, problem, "import-replay random --seed %d --first %d --count 1, kept in %s" % (
                seed, number, path))
            send({"done": "%d files were equal." % (number - first), "failures": 1})
            return
        try:
            table = read(case["data"], case["reading"])
            rows += len(table.rows)
            bad += len(table.bad)
        except Refused:
            refused += 1
        if (number + 1 - first) % 10000 == 0:
            send({"say": "%d files" % (number + 1 - first)})
    send({"done": "%d files with %d rows and %d bad records, %d of them refused; different 0" % (
        count, rows, bad, refused), "failures": 0})


def run_table(path):
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)
    failures = 0
    for case in cases:
        case["data"] = bytes.fromhex(case["bytes"])
        problem = attempt(case)
        if problem is not None:
            failures += 1
            report(case, problem, "")
    send({"done": "%d files; different %d" % (len(cases), failures), "failures": failures})


if mode == "check":
    run_table(sys.argv[4])
else:
    run_random(int(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6]))
