"""Files that people bring to the app, of each kind that it takes; nobody in them exists."""

import random
import zipfile

TABLE = (
    "sex,smoker,n\nTotal,Total,180\nf,Total,90\nm,Total,90\nTotal,yes,50\nTotal,no,130\n"
    "f,yes,<11\nf,no,85\nm,yes,45\nm,no,45\n"
)
STARS = "sex,n\nTotal,20\nf,*\nm,*\n"
WIDE = (
    f"ward,{','.join(f'group {at}' for at in range(14))},Total\n"
    f"east,{','.join(['30'] * 14)},420\nwest,{','.join(['40'] * 13)},<11,525\n"
)
PATTERNS = "itemset,support\n,1000\ntea,260\ntea;milk,255\nmilk,700\n"
RULES = "antecedents,consequents,support,confidence\ntea,milk,0.255,0.98\nmilk,tea,0.255,0.364\n"
TREE = (
    "|--- age <= 50.00\n|   |--- weights: [40.00, 60.00] class: 1\n"
    "|--- age >  50.00\n|   |--- weights: [3.00, 97.00] class: 1\n"
)


def csv(head, lines):
    """Return lines as the text of a CSV file."""
    return "".join(f"{','.join(map(str, line))}\n" for line in [head, *lines])


def visits(rows=400):
    """Visits and diagnoses, which may be a long table or a table of attributes."""
    chance = random.Random(5)  # noqa: S311 - visits that did not happen
    lines = ([at // 2, f"d{chance.randrange(6)}", f"w{chance.randrange(3)}"] for at in range(rows))
    return csv(["visit_id", "diagnosis", "ward"], lines)


UNCLEAR = visits()


def hospital(rows=1500):
    """A line for each patient: an id, attributes, an age in years, and whether each diagnosis was made."""
    chance = random.Random(7)  # noqa: S311 - patients who do not exist

    def line(at):
        age = chance.randrange(20, 90)
        has = (chance.random() < share * age / 60 for share in (0.4, 0.15, 0.08))
        diagnoses = ["yes" if one else "no" for one in has]
        return [70_000 + at, chance.choice("fm"), age, chance.choice(["yes", "no", "no"]), *diagnoses]

    return csv(["patient_id", "sex", "age", "smoker", "hypertension", "diabetes", "asthma"], map(line, range(rows)))


def write_zip(folder):
    """Write the files of a release beside its folder, as the zip that is handed over."""
    place = folder.with_suffix(".zip")
    with zipfile.ZipFile(place, "w") as archive:
        for file in filter(lambda path: path.is_file(), sorted(folder.iterdir())):
            archive.write(file, f"release/{file.name}")
    return place
