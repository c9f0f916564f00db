"""The commands whose outputs compare.py compares, and the files that they read."""

import lzma
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
MAIN: Final = "from discreet.cli import main; main()"

# The papers' examples, as in discreet.datasets; files in every format are made of them without our help.
PRINTED: Final = {
    "pkdd": "abcdefgh abcdeg abcde abcdefg abcde abcde abde aefg cdefg cde cdefgh abfg",
    "waim": "abcd bcef abc cdef bef acd bcdf abcdef bcdef abcde",
    "oliveira": "ABCD ABC ABD ACD ABC BD",
}
FILES: Final = {
    "secret.sensitive": "A B D\nA C D @ 50%\n",
    "letters.sensitive": "a b\nc e @ 50%\n",
    "pairs.sensitive": "a b\nc e\n",
    "numbers.sensitive": "38 39\n48 41 @ 25%\n32 39 @ 10%\n",
    "goods.sensitive": "38 39\n48 41\n",
    "baskets.sensitive": '"whole milk" "other vegetables"\n"rolls/buns" soda @ 40%\n',
    "closed.out": "(12)\na (9)\ne (11)\na b (8)\na e (8)\nd e (10)\nc d e (9)\n",
    "rules.txt": "1 2 ==> 3 #SUP: 80 #CONF: 0.987\n2 ==> 3 #SUP: 120 #CONF: 0.774\n",
    "rules.csv": 'rules,support,confidence,coverage,lift,count\n"{tea,milk} => {rye}",0.2,0.666666666666667,0.3,'
    '1.33333333333333,4\n"{tea} => {milk}",0.3,0.75,0.4,1.25,6\n',
    "rules.pmml": '<?xml version="1.0"?><PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header/>'
    '<AssociationModel functionName="associationRules" numberOfTransactions="20" numberOfItems="3" '
    'minimumSupport="0.1" minimumConfidence="0.5" '
    'numberOfItemsets="2" numberOfRules="1"><MiningSchema/><Item id="1" value="tea"/><Item id="2" value="milk"/>'
    '<Itemset id="1" support="0.5"><ItemRef itemRef="1"/></Itemset><Itemset id="2"><ItemRef itemRef="2"/></Itemset>'
    '<AssociationRule antecedent="1" consequent="2" support="0.3" confidence="0.6"/></AssociationModel></PMML>',
    "nine.csv": "b\nb\na,b\na,b\na,c\na,c\nb,c\nb,c\na,b,c\n",
    "part.csv": "itemset,support\na;b,8\na;b;c,7\n",
    "shares.csv": "itemset,support\na,0.62\na;b,0.60\nb,0.71\nc,0.31\n",
    "tree.txt": "|--- smoker <= 0.50\n|   |--- transplant <= 0.50\n|   |   |--- weights: [10.00, 60.00] class: well\n"
    "|   |--- transplant >  0.50\n|   |   |--- weights: [3.00, 0.00] class: ill\n"
    "|--- smoker >  0.50\n|   |--- weights: [50.00, 12.00] class: ill\n",
    "tree.dot": 'digraph Tree {\nnode [shape=box] ;\n0 [label="age <= 40.5\\ngini = 0.49\\nsamples = 135\\n'
    'value = [63, 72]\\nclass = well"] ;\n1 [label="gini = 0.24\\nsamples = 73\\nvalue = [10, 63]\\nclass = well"] ;\n'
    '0 -> 1 ;\n2 [label="gini = 0.25\\nsamples = 62\\nvalue = [53, 9]\\nclass = ill"] ;\n0 -> 2 ;\n}\n',
    "means.dot": 'digraph Tree {\n0 [label="ward <= 0.5\\nsquared_error = 0.199\\nsamples = 40\\nvalue = 0.275"] ;\n'
    '1 [label="squared_error = 0.048\\nsamples = 20\\nvalue = 0.05"] ;\n0 -> 1 ;\n'
    '2 [label="squared_error = 0.25\\nsamples = 20\\nvalue = 0.5"] ;\n0 -> 2 ;\n}\n',
    "april.csv": "asthma,smoker\n" * 20 + "asthma\n" * 12 + '""\n' * 10,
    "may.csv": "asthma,smoker\n" * 20 + "asthma\n" * 13 + '""\n' * 10,
    "values.csv": "sex=f,age=old\n" * 20 + "sex=m,age=old\n" * 12 + "sex=m,age=young\n" * 36 + "age=old\n" * 2,
}

# The shares of the public data sets are such that all of it takes a few minutes.
COMMANDS: Final = {
    "formats": """
        mine pkdd.csv --min-support 8
        mine pkdd.dat --min-support 6 --kind frequent --json
        mine pkdd.txt --min-support 6 --kind maximal --out maximal.json
        mine pkdd.onehot.csv --format onehot --row id --min-support 6 --out onehot.csv
        mine pkdd.long.csv --row id --item item --min-support 6 --out long.parquet
        mine pkdd.csv --min-support 50% --out half.spmf
        mine waim.csv --min-support 4 --out waim.txt
        mine pkdd.csv --min-support 13
        mine nowhere.csv --min-support 2
        mine pkdd.csv --min-support 0
    """,
    "detect": """
        detect pkdd.csv --min-support 8 -k 3
        detect pkdd.csv --min-support 6 -k 3 --method naive --json
        detect pkdd.csv --min-support 6 -k 3 --method closed --all
        detect waim.csv --min-support 4 -k 3 --method projection --json
        detect closed.out --kind closed -k 3
        detect oliveira.csv --min-support 2 -k 2 --out found.json
    """,
    "audit": """
        audit pkdd.csv --min-support 8 -k 3
        audit pkdd.csv --min-support 6 -k 3 --json
        audit pkdd.csv --min-support 8 --policy acro --json --exposed exposed.csv --sacro sacro
        audit pkdd.onehot.csv --format onehot --row id --min-support 6 -k 3 --explain 9
        audit waim.csv --min-support 4 -k 3 --json
        audit closed.out --kind closed -k 3 --rows pkdd.csv --json
        audit part.csv --n 12 -k 3
        audit values.csv --min-support 10 -k 5 --schema = --json
        audit values.csv --min-support 10 -k 5 --schema =
        tradeoff pkdd.csv --min-support 6,8,10 -k 2,3,4 --json
        tradeoff waim.csv
    """,
    "publications": """
        audit rules.txt --rules -k 10 --rounding truncate
        audit rules.txt --rules -k 10 --json
        audit rules.csv --rules -k 5 --json
        audit rules.pmml --rules -k 3 --min-confidence 50% --json
        audit shares.csv --n 200 --digits 2 -k 10 --json
        audit shares.csv --n 200 --digits 2 -k 10 --top
        report rules.csv --rules -k 5 --out rules.html
        audit tree.txt --tree -k 5
        audit tree.txt --tree -k 5 --json
        audit tree.dot --tree -k 10 --json
        audit means.dot --tree -k 5 --targets 0,1 --json
        report tree.dot --tree -k 10 --out tree.html --csv tree.csv
    """,
    "attack": """
        attack pkdd.csv --min-support 8 -k 3 --level plain --json
        attack pkdd.csv --min-support 8 -k 3 --level derive --json
        attack pkdd.csv --min-support 8 -k 3
        attack waim.csv --min-support 4 -k 2 --level exact --json
        attack waim.csv --min-support 4 -k 3 --partial --json
        attack pkdd.csv --min-support 8 -k 3 --pattern "a & b & ~c" --json
        attack closed.out --kind maximal -k 3 --level linear
    """,
    "releases in a row": """
        mine april.csv --min-support 10 --out april.json
        mine may.csv --min-support 10 --out may.json
        audit may.json -k 5 --against april.json --json
        audit may.json -k 5 --against april.json --grown
        attack may.json -k 5 --against april.json --grown --json
        report may.json -k 5 --against april.json --out may.html
    """,
    "block": """
        block pkdd.csv --min-support 8 -k 3 --method suppress --out suppress --json
        block pkdd.csv --min-support 8 -k 3 --method add --patterns csv --out add
        block pkdd.csv --min-support 6 -k 3 --method add --merge --patterns spmf --out merge --json
        block pkdd.csv --min-support 8 -k 3 --method withhold --patterns borgelt --out withhold --json
        block pkdd.csv --min-support 8 -k 3 --method optimal --out optimal --json
        block pkdd.csv --min-support 8 -k 3 --method best --keep-n --out best --json
        block nine.csv --min-support 3 -k 2 --method suppress --against derive --out derive --json
        block pkdd.csv --min-support 8 -k 3 --compare
        block pkdd.csv --min-support 6 -k 3 --compare --json
        verify suppress --json
        verify add
        verify withhold --json
        verify derive --json
        report add --out add.html
        report pkdd.csv --min-support 8 -k 3 --block suppress --private --out DO-NOT-RELEASE.html
    """,
    "hide": """
        hide oliveira.csv --sensitive secret.sensitive --method naive --out naive --json
        hide oliveira.csv --sensitive secret.sensitive --method minfia --out minfia
        hide oliveira.csv --sensitive secret.sensitive --method maxfia --reading dynamic --out maxfia --json
        hide oliveira.csv --sensitive secret.sensitive --out iga --show-labels
        hide oliveira.csv --sensitive secret.sensitive --method swa --window 3 --out swa --json
        hide pkdd.txt --sensitive pairs.sensitive --method border --below 5 --out border --json
        hide pkdd.onehot.csv --format onehot --row id --sensitive pairs.sensitive --method exact --below 5 \
            --out exact --json
        hide pkdd.long.csv --row id --item item --sensitive letters.sensitive --psi 25% --out long \
            --measure --sigma 6 --json
        hide pkdd.csv --sensitive letters.sensitive --compare --psi 0,50% --sigma 6 --plot plot.svg
    """,
    "query": """
        query pkdd.csv "e & (~b | ~d)" --json
        query pkdd.onehot.csv --format onehot --row id "h & ~b" --rows
        query pkdd.long.csv --row id --item item "a | f" --json
        index pkdd.csv --out pkdd.index
        query pkdd.index "e & ~b" --explain
        query pkdd.csv "e & (b"
    """,
    "clinic": """
        generate clinic --rows 2000 --seed 1 --out clinic.csv
        mine clinic.csv --min-support 5% --out patterns.json
        audit patterns.json --policy acro --json
        audit clinic.csv --min-support 5% --policy opensafely
        block clinic.csv --min-support 5% -k 10 --method add --merge --out release --json
        verify release
        attack release/patterns.json -k 10 --level derive --json
        tradeoff clinic.csv --json
        report clinic.csv --min-support 5% -k 10 --out clinic.html --csv findings.csv
    """,
    "quest": """
        generate quest --rows 1000 --seed 1 --out quest.dat
        detect quest.dat --min-support 2% -k 10 --json
    """,
    "mushroom": """
        mine mushroom.dat --min-support 15% --out closed.txt
        mine mushroom.dat --min-support 20% --kind frequent --out frequent.csv
        detect mushroom.dat --min-support 15% -k 10 --json
        audit mushroom.dat --min-support 25% -k 10 --json --exposed exposed.csv
        block mushroom.dat --min-support 25% -k 10 --method suppress --patterns csv --out suppress --json
        block mushroom.dat --min-support 25% -k 10 --method add --out add --json
        block mushroom.dat --min-support 25% -k 10 --method withhold --out withhold --json
        verify suppress --json
        tradeoff mushroom.dat --min-support 15%,20%,25%,30% --json
        attack mushroom.dat --min-support 40% -k 10 --level derive --json
        report mushroom.dat --min-support 25% -k 10 --out mushroom.html
    """,
    "chess": """
        mine chess.spmf --min-support 85% --kind maximal --json
        detect chess.spmf --min-support 80% -k 5 --json
        audit chess.spmf --min-support 90% -k 10 --json
        block chess.spmf --min-support 90% -k 10 --method suppress --patterns spmf --out suppress --json
        block chess.spmf --min-support 90% -k 10 --method add --patterns csv --out add --json
    """,
    "retail": """
        mine retail.dat --min-support 353 --kind maximal --out maximal.parquet
        audit retail.dat --min-support 0.4% -k 50 --json
        audit retail.dat --min-support 0.4% -k 10 --memory 8MB --json
        block retail.dat --min-support 0.4% -k 50 --method suppress --patterns csv --out suppress --json
        hide retail.dat --sensitive numbers.sensitive --method iga --out iga --json
        hide retail.dat --sensitive numbers.sensitive --method swa --window 20000 --memory 50MB --out swa --json
        hide retail.dat --sensitive goods.sensitive --method border --below 1% --out border --json
        query retail.dat "38 & ~39 & (48 | 41)" --json
    """,
    "groceries": """
        audit baskets.csv --min-support 1% -k 10 --json
        audit baskets.onehot.csv --format onehot --row id --min-support 2% -k 10 --json
        audit baskets.long.csv --row id --item item --min-support 1% -k 20 --json
        hide baskets.csv --sensitive baskets.sensitive --method minfia --out minfia --json
        hide baskets.onehot.csv --format onehot --row id --sensitive baskets.sensitive --method maxfia \
            --out maxfia --json
        hide baskets.long.csv --row id --item item --sensitive baskets.sensitive --psi 10% --out iga \
            --measure --sigma 2% --json
        block baskets.csv --min-support 2% -k 20 --method best --out best --json
        query baskets.csv "'whole milk' & ~soda & ('rolls/buns' | pastry)" --count
        tradeoff baskets.csv --min-support 0.5%,1%,2% -k 5,10,20 --json
    """,
    "others": """
        audit connect.dat --min-support 95% -k 10 --json
        audit accidents_head15224.dat --min-support 60% -k 10 --json
        audit BMS-WebView-1.dat --min-support 0.2% -k 10 --json
        mine T10I4D100K.dat --min-support 0.5% --out quest.csv
        detect kosarak_head36682.dat --min-support 1% -k 10 --json
    """,
}
LIBRARY: Final = {
    "every threshold": """
        from discreet import detect, mine, read
        for name in ("pkdd", "waim", "oliveira"):
            rows = read(f"{name}.csv")
            for least in range(1, len(rows) + 2):
                for kind in ("frequent", "closed", "maximal"):
                    found = mine(rows, min_support=least, kind=kind)
                    print(name, least, kind, found.n, found.min_support, [(sorted(one), many) for one, many in found])
                found = mine(rows, min_support=least)
                for k in (2, 3, 5):
                    channels = detect(found, k=k)
                    print(k, [(sorted(one.base), sorted(one.top), one.count) for one in channels], *channels)
                    print(*(one.explain(found) for one in channels))
    """,
    "every method": """
        from discreet import attack, block, bounds, hide, mine, read
        rows = read("pkdd.csv")
        for least in (6, 8):
            for method in ("suppress", "add", "withhold", "optimal", "best"):
                made = block(rows, min_support=least, k=3, method=method)
                print(least, method, [(sorted(one), many) for one, many in made.patterns])
                print(made.suppressed.tolist(), made.rounds)
                print(made.distortion.average, made.distortion.lost, made.distortion.changed, made.distortion.largest)
                if made.witness is not None:
                    print([sorted(row) for row in made.witness])
            for level in ("plain", "derive", "linear", "exact"):
                found = attack(mine(rows, min_support=least), k=3, level=level)
                print(least, level, found.is_safe, *found.findings)
                print(*(one.sentence for one in found.findings), sep="\\n")
            for query in ("a & b", "a & ~e", "f | g", "~c & h"):
                limits = bounds(mine(rows, min_support=least), query)
                print(query, limits.low, limits.high)
        rows = read("oliveira.csv")
        for method in ("naive", "minfia", "maxfia", "iga"):
            for reading in ("static", "dynamic"):
                for share in (0, "25%", "50%"):
                    made = hide(rows, [set("ABD"), set("ACD")], method=method, disclosure=share, reading=reading)
                    print(method, reading, share, ["".join(sorted(row)) for row in made.transactions])
    """,
    "public rows": """
        from discreet import InvertedFile, detect, mine, read, scan
        rows = read("mushroom.dat")
        for kind in ("closed", "maximal"):
            found = mine(rows, min_support="20%", kind=kind)
            print(kind, [(sorted(one), many) for one, many in found])
            for given in (rows, None) if kind == "closed" else (rows,):
                print(*detect(found, k=10, rows=given), sep="\\n")
        print(InvertedFile(rows).rows("1 & ~24 & (38 | 90)").tolist())
        merged = scan("mushroom.dat", min_support="25%")
        print(repr(merged), *detect(mine(merged, min_support="25%"), k=20, rows=merged), sep="\\n")
    """,
}
PUBLIC: Final = (
    *("mushroom", "chess", "retail", "groceries", "connect", "T10I4D100K", "BMS-WebView-1"),
    *("accidents_head15224", "kosarak_head36682"),
)
ON_PUBLIC: Final = {"mushroom", "chess", "retail", "groceries", "others", "public rows"}


def commands_of(case: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the title of each command of a case, and what Python runs."""
    if case in LIBRARY:
        lines = LIBRARY[case].strip("\n").splitlines()
        yield "library", ["\n".join(line[8:] for line in lines)]
        return
    for line in COMMANDS[case].strip().splitlines():
        words = shlex.split(line)
        yield words[0], [MAIN, *words]


def write_inputs(folder: Path) -> bool:
    """Write all files that the commands read, and return whether the public data sets are among them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        write_text(folder / name, text)
    for name, rows in PRINTED.items():
        write_rows(folder, name, [list(row) for row in rows.split()])
    data = Path(os.environ.get("DISCREET_DATA") or ROOT.parent / "shared" / "data")
    if not all((data / f"{name}.dat.xz").exists() for name in PUBLIC):
        print("No public data sets: only the papers' examples are compared.")
        return False
    for name in PUBLIC:
        if not (folder / f"{name}.dat").exists():
            (folder / f"{name}.dat").write_bytes(lzma.decompress((data / f"{name}.dat.xz").read_bytes()))
    write_text(folder / "chess.spmf", (folder / "chess.dat").read_text())
    names = dict(line.split("\t") for line in (data / "groceries.items.tsv").read_text().splitlines())
    rows = [[names[item] for item in line.split()] for line in (folder / "groceries.dat").read_text().splitlines()]
    write_rows(folder, "baskets", rows)
    return True


def write_rows(folder: Path, name: str, rows: Sequence[Sequence[str]]) -> None:
    """Write rows as baskets, one-hot, long, SPMF and, numbered, FIMI."""
    items = sorted({item for row in rows for item in row})
    codes = {item: number for number, item in enumerate(items, start=1)}
    numbered = "".join(" ".join(str(codes[item]) for item in row) + "\n" for row in rows)
    labels = "".join(f"@ITEM={code}={item}\n" for item, code in codes.items())
    onehot = "".join(
        f"t{at}," + ",".join(str(int(item in row)) for item in items) + "\n" for at, row in enumerate(rows, start=1)
    )
    files = {
        "csv": "".join(",".join(row) + "\n" for row in rows),
        "onehot.csv": f"id,{','.join(items)}\n{onehot}",
        "long.csv": "id,item\n" + "".join(f"t{at},{item}\n" for at, row in enumerate(rows, start=1) for item in row),
        "txt": f"@CONVERTED_FROM_TEXT\n{labels}{numbered}",
        "dat": numbered,
    }
    for suffix, text in files.items():
        write_text(folder / f"{name}.{suffix}", text)


def write_text(path: Path, text: str) -> None:
    """Write a file, unless it holds that text: an index knows when its file was written."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
