"""Tables of counts are not rows of people: they are refused until their owner says otherwise."""

from io import BytesIO

import pytest

from discreet import read
from discreet.errors import UnclearError

TABLES = {
    "a column of counts": b"sex,age,count\nf,young,12\nf,old,9\nm,young,30\nm,old,<5\n",
    "Achilles": b'"analysis_id","stratum_1","count_value"\n0,"DEFAULT","1165"\n2,"8507","512"\n2,"8532","653"\n',
    "masked counts": b"ward;n\nA;12\nB;*\nC;40\n",
    "a crosstab with margins": b"age,f,m,Total\nyoung,12,30,42\nold,7,9,16\nTotal,19,39,58\n",
    "a line of totals": b"age,f,m\nyoung,12,30\nold,7,9\nTotal,19,39\n",
}


@pytest.mark.parametrize("data", TABLES.values(), ids=TABLES)
def test_a_table_of_counts_is_refused(data):
    with pytest.raises(UnclearError):
        read(BytesIO(data))


def test_a_column_that_is_called_so_may_be_an_attribute():
    lines = [f"{'fm'[at % 2]},{at % 3},{at % 4}" for at in range(40)]
    rows = read(BytesIO("\n".join(["sex,visits_n,ward", *lines]).encode()))
    assert (rows.n, rows.reading.shape) == (40, "table")
